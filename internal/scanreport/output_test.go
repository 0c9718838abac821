package scanreport

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

	"github.com/touchstone-eval/touchstone/internal/safetext"
	"github.com/touchstone-eval/touchstone/internal/toollist"
	"github.com/touchstone-eval/touchstone/scanner"
)

const nasty = "x\x1b[31m\u202e\u200b\U000e0041\ufe0f\u3164|`*_[a](b)<img src=x onerror=alert(1)>@me #1 https://evil.example/\n# h1"

// nastyResult has hostile text in every place with untrusted text.
func nastyResult(t *testing.T) *Result {
	t.Helper()
	in := sample()
	in.Tools = append(in.Tools, tool(nasty, nasty, orderText+nasty), tool("a", strings.Repeat("n\u200b", 5000), hiddenText))
	in.Tools[3].Place.File = nasty + ".json"
	in.Unscanned = []toollist.Unscanned{{Server: nasty, Tool: nasty, Source: nasty, Place: toollist.Place{File: nasty, Line: 2}, Reason: nasty, Remedy: "mend it"}}
	in.PassedOver = []toollist.PassedOver{{Path: nasty, Reason: "of another kind"}}
	return mustJudge(t, in, Options{
		Baseline:     []scanner.Tool{{Server: nasty, Name: "gone" + nasty}},
		Suppressions: []Suppression{{Tool: "calc:hide", Check: "unicode.hidden", Reason: nasty}, {Tool: nasty, Check: "unicode.hidden", Reason: "r"}},
	})
}

func written(t *testing.T, write func(io.Writer) error) string {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// No format prints an unescaped control or invisible character, and every format always writes
// the same bytes.
func TestFormatsAreHarmless(t *testing.T) {
	r := nastyResult(t)
	for name, write := range map[string]func(io.Writer) error{
		"table": r.WriteTable, "json": r.WriteJSON, "sarif": r.WriteSARIF, "markdown": r.WriteMarkdown, "html": r.WriteHTML,
	} {
		text := written(t, write)
		for i, c := range text {
			if safetext.Hidden(c) && c != '\n' {
				t.Fatalf("%s: a live U+%04X in %q", name, c, text[max(0, i-40):i+10])
			}
		}
		if again := written(t, nastyResult(t).writer(name)); again != text {
			t.Errorf("%s: two results of one scan", name)
		}
	}
}

func (r *Result) writer(name string) func(io.Writer) error {
	return map[string]func(io.Writer) error{
		"table": r.WriteTable, "json": r.WriteJSON, "sarif": r.WriteSARIF, "markdown": r.WriteMarkdown, "html": r.WriteHTML,
	}[name]
}

func TestMarkdownHasNoMarkupOfStrangers(t *testing.T) {
	text := written(t, nastyResult(t).WriteMarkdown)
	// Text outside of <code> must be our own.
	plain := regexp.MustCompile("<code>(?:&#[0-9]+;|[^<>|*_`\\[\\]@#:.&])*</code>").ReplaceAllString(text, "")
	for _, bad := range []string{"evil", "<", "@", "[", "onerror", "`"} {
		if strings.Contains(plain, bad) {
			t.Errorf("%q is outside of code:\n%s", bad, plain)
		}
	}
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "|") && strings.Count(line, "|") != 7 {
			t.Errorf("a row of another width: %s", line)
		}
	}
}

func TestHTML(t *testing.T) {
	text := written(t, nastyResult(t).WriteHTML)
	if strings.Contains(text, "<img") || strings.Contains(text, "<script") || regexp.MustCompile(`(src|href)=["']?[^"'x]`).MatchString(text) {
		t.Error("the page has an element of a stranger's, a script or a reference")
	}
	for _, want := range []string{"prefers-color-scheme: dark", "default-src 'none'", "&lt;img", "NOT EVERYTHING WAS SCANNED", "<h2>Not scanned</h2>", "<h2>Suppressed</h2>"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing", want)
		}
	}
}

// The format of the JSON output is stable.
func TestJSON(t *testing.T) {
	var got map[string]json.RawMessage
	if err := json.Unmarshal([]byte(written(t, nastyResult(t).WriteJSON)), &got); err != nil {
		t.Fatal(err)
	}
	if keys := fmt.Sprint(slices.Sorted(maps.Keys(got))); keys != "[coverage findings risk_score]" {
		t.Error(keys)
	}
	var findings []map[string]any
	if err := json.Unmarshal(got["findings"], &findings); err != nil {
		t.Fatal(err)
	}
	for _, f := range findings {
		if keys := fmt.Sprint(slices.Sorted(maps.Keys(f))); keys != "[action confidence evidence server severity signals threat_level tool]" {
			t.Error(keys)
		}
		if len(f["signals"].([]any)) != len(f["evidence"].([]any)) || len(f["signals"].([]any)) == 0 {
			t.Error(f)
		}
	}
	if !slices.ContainsFunc(findings, func(f map[string]any) bool { return f["tool"] == nasty && f["server"] == nasty }) {
		t.Error("the name of a tool is not as it was")
	}
	var coverage struct {
		Complete   bool
		NotScanned []toollist.Unscanned `json:"not_scanned"`
		Suppressed []any
	}
	if err := json.Unmarshal(got["coverage"], &coverage); err != nil {
		t.Fatal(err)
	}
	if coverage.Complete || len(coverage.NotScanned) != 1 || len(coverage.Suppressed) == 0 {
		t.Errorf("%+v", coverage)
	}
}

// parseSARIF validates against the schema that the library embeds.
func parseSARIF(t *testing.T, text string) *sarif.Run {
	t.Helper()
	report, err := sarif.FromString(text, sarif.WithStrictValidation())
	if err != nil {
		t.Fatal(err)
	}
	validateSARIF(t, text)
	return report.Runs[0]
}

func TestSARIF(t *testing.T) {
	r := nastyResult(t)
	run := parseSARIF(t, written(t, r.WriteSARIF))
	var ids []string
	for _, rule := range run.Tool.Driver.Rules {
		ids = append(ids, *rule.ID)
	}
	if !slices.Equal(ids, CheckIDs()) {
		t.Errorf("rules %v", ids)
	}
	if *run.Invocations[0].ExecutionSuccessful || len(run.Invocations[0].ToolExecutionNotifications) == 0 {
		t.Error("an incomplete scan looks complete")
	}
	prints := map[string]bool{}
	suppressed := 0
	for _, res := range run.Results {
		if ids[res.RuleIndex] != *res.RuleID {
			t.Errorf("rule %d is not %s", res.RuleIndex, *res.RuleID)
		}
		if len(res.Locations) != 1 || *res.Locations[0].PhysicalLocation.Region.StartLine != 7 {
			t.Errorf("%+v", res.Locations)
		}
		print := res.PartialFingerprints["primaryLocationLineHash"]
		if print == "" || prints[print] {
			t.Errorf("fingerprint %q twice", print)
		}
		prints[print] = true
		suppressed += len(res.Suppressions)
	}
	if suppressed != len(r.Suppressed) || suppressed == 0 {
		t.Errorf("%d results are suppressed, %d signals", suppressed, len(r.Suppressed))
	}
	if run.Results[0].Level != "error" {
		t.Error(run.Results[0].Level)
	}
}

// The fingerprints of a tool stay the same if it moves within its file, and change with its text.
func TestSARIFFingerprints(t *testing.T) {
	prints := func(text string, line int) []string {
		moved := tool("s", "a", text)
		moved.Place.Line = line
		var list []string
		for _, res := range parseSARIF(t, written(t, mustJudge(t, &toollist.Input{Tools: []toollist.Tool{moved}}, Options{}).WriteSARIF)).Results {
			list = append(list, res.PartialFingerprints["primaryLocationLineHash"])
		}
		return list
	}
	if a, b := prints(hiddenText, 1), prints(hiddenText, 99); !slices.Equal(a, b) || len(a) == 0 {
		t.Errorf("%v, moved %v", a, b)
	}
	if a, b := prints(hiddenText, 1), prints("Now "+hiddenText, 1); slices.Equal(a, b) {
		t.Error("another text has the same fingerprints")
	}
}

// Beyond the limits, the least severe results are left out, and a notification says so.
func TestSARIFLimits(t *testing.T) {
	in := &toollist.Input{}
	for i := range 300 {
		in.Tools = append(in.Tools, tool("s", fmt.Sprintf("plain%d", i), orderText), tool("s", fmt.Sprintf("hide%d", i), hiddenText))
	}
	r := mustJudge(t, in, Options{Checks: []string{"directive.model", "unicode.hidden"}})
	total := len(r.sarifResults())
	for _, limit := range []struct{ bytes, results int }{{1 << 30, 250}, {100_000, 1 << 20}, {20_000, 10}} {
		text := written(t, func(w io.Writer) error { return r.writeSARIF(w, limit.bytes, limit.results) })
		run := parseSARIF(t, text)
		kept := len(run.Results)
		if len(text) > limit.bytes || kept > limit.results || kept == 0 || kept == total {
			t.Errorf("%+v: %d bytes, %d results of %d", limit, len(text), kept, total)
		}
		note := *run.Invocations[0].ToolExecutionNotifications[0].Message.Text
		if !strings.HasPrefix(note, fmt.Sprintf("%d more results", total-kept)) {
			t.Error(note)
		}
		for _, res := range run.Results[:min(kept, 200)] {
			if *res.RuleID != "unicode.hidden" {
				t.Fatalf("%s is kept before a more severe one", *res.RuleID)
			}
		}
	}
}

func TestArtifactURI(t *testing.T) {
	for file, want := range map[string]string{
		"a b/c.json": "a%20b/c.json", "./x.json": "x.json", "a:b.json": "./a:b.json", "/x y.json": "file:///x%20y.json",
		toollist.Stdin: "stdin", "<server a b>": "server%20a%20b", "../x.json": "../x.json",
	} {
		if got := artifactURI(file); got != want {
			t.Errorf("%s: %s, want %s", file, got, want)
		}
	}
}
