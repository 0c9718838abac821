package report

import (
	"bytes"
	"encoding/json"
	"io"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/touchstone-eval/touchstone/internal/base/safetext"
	"github.com/touchstone-eval/touchstone/internal/scan/input"
	"github.com/touchstone-eval/touchstone/scanner"
)

// FuzzBaseline checks that every readable list of tools can be approved, and that the baseline
// reads back as the same tools.
func FuzzBaseline(f *testing.F) {
	f.Add([]byte(`[{"server":"s","tool":"a","title":"t","annotations":7},{"name":"b","name":"c"}]`))
	f.Add([]byte(`{"tools":[{"name":"a","description":"A","inputSchema":{"x":[1]}}]}`))
	f.Add([]byte(`{"result":{"serverInfo":{"name":"n"},"protocolVersion":"v","instructions":"i"}} {"result":{"prompts":[{"name":"p","arguments":[{"name":"x"}],"_meta":{"a b":1}}]}} {"result":{"resources":[{"uri":"u","name":"n"}],"resourceTemplates":[{"uriTemplate":"t"}]}}`))
	f.Add([]byte(`{"result":{"serverInfo":{"name":"n"},"instructions":"i","protocolVersion":"v"}} {"result":{"resources":[{"uri":"u","name":"n"}],"resourceTemplates":[{"text of no template":"u"}]}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		in, err := input.Read("f.json", "s", text)
		if err != nil {
			return
		}
		all := slices.Concat(in.Tools, in.Others)
		made, err := NewBaseline(all)
		if err != nil {
			return
		}
		baseline, err := made.Text()
		if err != nil {
			t.Fatal(err)
		}
		again, err := ParseBaseline("b.json", baseline)
		if err != nil && len(all) > 0 && !noServer(all) {
			t.Fatal(err)
		}
		if err == nil && drift(pointersTo(made.Tools), pointersTo(again.Tools)).Any() {
			t.Fatalf("%+v approved, %+v read back", made.Tools, again.Tools)
		}
	})
}

func noServer(tools []input.Tool) bool {
	for _, t := range tools {
		if t.Server == "" {
			return true
		}
	}
	return false
}

func FuzzSuppressions(f *testing.F) {
	f.Add("suppress {\n tool = \"a:b\"\n check = \"unicode.hidden\"\n reason = \"r\"\n expires = \"2030-01-01\"\n}", false)
	f.Add(`{"suppress":[{"tool":"*:b","check":"x","reason":"${a}"}]}`, true)
	f.Fuzz(func(t *testing.T, text string, isJSON bool) {
		file := "s.hcl"
		if isJSON {
			file = "s.json"
		}
		list, err := ParseSuppressions(file, []byte(text))
		if err != nil {
			for _, r := range err.Error() {
				if safetext.Hidden(r) && r != '\n' {
					t.Fatalf("%q", err)
				}
			}
			return
		}
		for _, s := range list {
			if strings.TrimSpace(s.Reason) == "" || KnownCheck(s.Check) != nil || !strings.Contains(s.Tool, ":") {
				t.Fatalf("%+v", s)
			}
			wildcard(s.Tool, "a:b")
		}
	})
}

// FuzzFormats checks that no name, text or reason puts an unescaped character into a report.
func FuzzFormats(f *testing.F) {
	f.Add(nasty, nasty, nasty)
	f.Fuzz(func(t *testing.T, name, text, reason string) {
		r := &Result{
			Findings: []Finding{{Finding: scanner.Finding{Server: name, Tool: text, Severity: scanner.SeverityHigh, Signals: []scanner.Signal{
				{CheckID: "unicode.hidden", Tier: scanner.TierHard, Evidence: text, Detail: reason},
			}}, Places: []input.Place{{File: name, Line: 1}, {File: text, Line: 2}}}},
			Unscanned:  []input.Unscanned{{Server: name, Source: text, Reason: reason, Output: []string{text, reason}}},
			Notes:      []Note{{Server: name, Tool: text, Reason: reason, Places: []input.Place{{File: name, Line: 1}}}},
			PassedOver: []input.PassedOver{{Path: name, Reason: reason}},
		}
		for kind, write := range map[string]func(io.Writer) error{
			"table": r.WriteTable, "markdown": r.WriteMarkdown, "html": r.WriteHTML, "sarif": r.WriteSARIF, "json": r.WriteJSON, "codequality": r.WriteCodeQuality,
		} {
			var b bytes.Buffer
			if err := write(&b); err != nil {
				t.Fatal(err)
			}
			if !utf8.Valid(b.Bytes()) {
				t.Fatalf("%s: invalid UTF-8", kind)
			}
			for _, c := range b.String() {
				if safetext.Hidden(c) && c != '\n' {
					t.Fatalf("%s: a live U+%04X", kind, c)
				}
			}
			if (kind == "json" || kind == "sarif" || kind == "codequality") && !json.Valid(b.Bytes()) {
				t.Fatalf("%s: no JSON", kind)
			}
		}
	})
}
