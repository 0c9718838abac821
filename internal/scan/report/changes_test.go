package report

import (
	"fmt"
	"strings"
	"testing"

	"github.com/touchstone-eval/touchstone/internal/scan/input"
	"github.com/touchstone-eval/touchstone/scanner"
)

// A release that changes one thing in every tool says it once, and does not hide what
// changed in one tool alone.
func TestCommonChangesAreSaidOnce(t *testing.T) {
	var was []scanner.Tool
	now := &input.Input{}
	for i := range 6 {
		old := scanner.Tool{Server: "s", Name: fmt.Sprintf("tool_%d", i), Description: "Reads a page.",
			InputSchema: []byte(fmt.Sprintf(`{"$schema":"http://json-schema.org/draft-07/schema#","properties":{"a%d":{}},"required":["a%d"]}`, i, i))}
		cur := old
		cur.InputSchema = []byte(fmt.Sprintf(`{"$schema":"https://json-schema.org/draft/2020-12/schema","properties":{"a%d":{},"tab":{"type":"number"}},"required":["tab","a%d"]}`, i, i))
		if i == 5 {
			cur.InputSchema = []byte(strings.Replace(string(old.InputSchema), "http://json-schema.org/draft-07/schema#", "https://json-schema.org/draft/2020-12/schema", 1))
		}
		if i == 4 {
			cur.Description = "Reads a page of the user."
			cur.Title = "Reader"
		}
		was = append(was, old)
		now.Tools = append(now.Tools, input.Tool{Tool: cur})
	}
	now.Tools = append(now.Tools, input.Tool{Tool: scanner.Tool{Server: "s", Name: "fresh", Description: "Writes a page."}})
	r := mustJudge(t, now, Options{Baseline: &Baseline{Tools: was}})
	var table strings.Builder
	if err := r.WriteTable(&table); err != nil {
		t.Fatal(err)
	}
	want := `Against the baseline:
  s:fresh: medium: it is not approved
  s:tool_4: medium: differs from its approved definition
      /title: a new text (low): {+Reader+}
      /description: other words (low): Reads a [-page.-] {+page of the user.+}
      3 changes that other definitions share, below
  s: medium: the same change in 5 definitions
      /inputSchema/properties/tab: a new required parameter (medium): {+{"type":"number"}+}
      tool_0, tool_1, tool_2, tool_3 and 1 more
  s: medium: the same change in 5 definitions
      /inputSchema/required: a parameter that must be given now (medium): {+tab+}
      tool_0, tool_1, tool_2, tool_3 and 1 more
  s: none: the same change in 6 definitions
      /inputSchema/$schema: another version of JSON Schema (none): [-http://json-schema.org/draft-07/schema#-] {+https://json-schema.org/draft/2020-12/schema+}
      tool_0, tool_1, tool_2, tool_3 and 2 more
`
	if !strings.Contains(table.String(), want) {
		t.Errorf("got\n%s\nwant\n%s", table.String(), want)
	}
	if len(r.Drift.Changes) != 6 || r.AtLeast(scanner.SeverityMedium) != 6 {
		t.Errorf("%d changes, %d of them medium or worse, want 6: all count but the version of JSON Schema", len(r.Drift.Changes), r.AtLeast(scanner.SeverityMedium))
	}
	for name, write := range map[string]func() string{
		"Markdown": func() string { var b strings.Builder; _ = r.WriteMarkdown(&b); return b.String() },
		"HTML":     func() string { var b strings.Builder; _ = r.WriteHTML(&b); return b.String() },
	} {
		if text := write(); strings.Count(text, "/inputSchema/properties/tab") != 1 || !strings.Contains(text, " and 2 more") {
			t.Errorf("%s:\n%s", name, text)
		}
	}
}

func TestChangedMembers(t *testing.T) {
	for _, tt := range []struct{ was, now, want string }{
		{`["a","b"]`, `["b","c"]`, "[-a-] {+c+}"},
		{"", `["a"]`, "{+a+}"},
		{`["a","b"]`, `["b","a"]`, ""},
		{"a b", "b c", ""},
		{`{"a":1}`, `["a"]`, ""},
	} {
		if got := changedMembers(tt.was, tt.now); got != tt.want {
			t.Errorf("%s, %s: %q, want %q", tt.was, tt.now, got, tt.want)
		}
	}
}
