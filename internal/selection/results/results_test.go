package results

import (
	"bytes"
	"encoding/csv"
	"encoding/xml"
	"strings"
	"testing"

	"github.com/touchstone-eval/touchstone/internal/base/junit"
	"github.com/touchstone-eval/touchstone/internal/selection"
	"github.com/touchstone-eval/touchstone/internal/selection/score"
)

var half = 0.5

// runs are a right, a wrong and a failed run, with names that attack each format.
var runs = Results{Title: "Batch <b>", Answers: map[string]selection.SaidRaw{"r2": {Said: selection.Said{Text: "I look <it> up.", Refusal: "no", FinishReason: "stop"}, Raw: `{"id":"x"}`}}, Runs: []score.Observation{
	{RunID: "r1", CaseID: "c1", Case: "=cmd()", Model: "lexical/bm25", Repeat: 1, Tools: []string{"s:a"}, Selects: "s:a", Made: true,
		Classification: selection.TP, Correctness: &half, Reasoning: "s:a was expected", DurationMS: 1500},
	{RunID: "r2", CaseID: "c2", Case: "<script>alert(1)</script>", Model: "lexical/bm25", Repeat: 2, Tools: []string{"s:a"}, Selects: "s:\x01b", Made: true,
		Classification: selection.FN, Reasoning: "s:b is another tool"},
	{RunID: "r3", CaseID: "c3", Case: "late", Model: "ollama/m", Repeat: 1, Selects: score.NoTool, Failed: true, Error: "timeout"},
}}

func written(t *testing.T, r Results, name string) string {
	t.Helper()
	f, err := FormatNamed(name)
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := r.Write(&text, f); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

func TestCSV(t *testing.T) {
	lines, err := csv.NewReader(strings.NewReader(written(t, runs, "csv"))).ReadAll()
	if err != nil || len(lines) != 4 {
		t.Fatal(lines, err)
	}
	cell := func(line int, name string) string {
		for i, column := range lines[0] {
			if column == name {
				return lines[line][i]
			}
		}
		t.Fatalf("there is no column %s", name)
		return ""
	}
	for _, tc := range []struct {
		line         int
		column, want string
	}{
		{1, "test_case", "'=cmd()"}, {1, "verdict", "right"}, {1, "parameter_correctness", "0.5"}, {1, "classification", "TP"},
		{2, "verdict", "wrong"}, {2, "repeat", "2"}, {2, "reasoning", "s:b is another tool"}, {2, "parameter_correctness", ""}, {2, "answer_text", "I look <it> up."}, {2, "answer_refusal", "no"}, {2, "finish_reason", "stop"}, {2, "raw_answer", `{"id":"x"}`}, {1, "answer_text", ""},
		{3, "verdict", "failed"}, {3, "error_message", "timeout"}, {3, "expected", "no tool"}, {3, "chosen", ""}, {3, "extra_calls", ""},
	} {
		if got := cell(tc.line, tc.column); got != tc.want {
			t.Errorf("line %d, %s: %q, not %q", tc.line, tc.column, got, tc.want)
		}
	}
}

func TestJUnit(t *testing.T) {
	var got junit.Suites
	if err := xml.Unmarshal([]byte(written(t, runs, "junit")), &got); err != nil {
		t.Fatal(err)
	}
	if got.Tests != 3 || got.Failures != 1 || got.Errors != 1 || len(got.Suites) != 2 {
		t.Fatalf("%+v", got)
	}
	right, wrong, failed := got.Suites[0].Cases[0], got.Suites[0].Cases[1], got.Suites[1].Cases[0]
	if right.Failure != nil || right.Error != nil || right.Seconds != "1.500" || !strings.Contains(right.Output, "run r1") {
		t.Errorf("%+v", right)
	}
	if wrong.Failure == nil || !strings.Contains(wrong.Failure.Text, "s:b is another tool") || !strings.Contains(wrong.Failure.Text, "text: I look <it> up.") || !strings.HasSuffix(wrong.Name, "(repeat 2)") {
		t.Errorf("%+v", wrong)
	}
	if failed.Error == nil || failed.Error.Message != "timeout" || failed.Failure != nil {
		t.Errorf("%+v", failed)
	}
}

func TestHTML(t *testing.T) {
	page := written(t, runs, "html")
	for _, want := range []string{"Batch &lt;b&gt;", "&lt;script&gt;alert(1)&lt;/script&gt;", "50.0% [", "Confidently wrong", "timeout", "3 runs.", "I look &lt;it&gt; up."} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is missing in %s", want, page)
		}
	}
	if strings.Contains(page, "<script>") || strings.Contains(page, "ZgotmplZ") {
		t.Error("a name is markup, or the style was refused")
	}
}

func TestNoRunsAndNoFormat(t *testing.T) {
	for _, f := range Formats {
		if written(t, Results{Title: "none"}, f.Name) == "" {
			t.Errorf("%s is empty", f.Name)
		}
	}
	if _, err := FormatNamed("pdf"); err == nil || !strings.Contains(err.Error(), "csv, junit, html") {
		t.Error(err)
	}
}
