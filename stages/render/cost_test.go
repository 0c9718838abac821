package render

import (
	"strings"
	"testing"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/metrics"
)

func TestCost(t *testing.T) {
	t.Parallel()
	was := 1600.0
	var r contracts.Report
	a := &r.Aggregate
	a.Baseline.Comparable = true
	a.Retrieval.Queries = 3
	a.Retrieval.Cost = &contracts.CostSummary{Tokenizer: "o200k_base", Queries: 2,
		Figures: []contracts.CostFigure{
			{Figure: metrics.CostAnswerTokens, Mean: 1499.6, Interval: &contracts.Interval{Low: 1400, High: 1600}, Baseline: &was},
			{Figure: metrics.CostAllToolsTokens, Mean: 50000},
		},
		Curve:    []contracts.CostCurveStep{{K: 1, Tokens: 100, Recall: 0.25}, {K: 2, Tokens: 200, Recall: 0.5}},
		Baseline: []contracts.CostCurveStep{{K: 1, Tokens: 400, Recall: 0.25}, {K: 2, Tokens: 800, Recall: 0.5}},
	}
	v := viewCost(a)
	if got := strings.Join(v.Rows[0], "|"); got != "Tokens per answer|1500|1400 to 1600|1600|−100" {
		t.Errorf("got %s", got)
	}
	if got := strings.Join(v.Rows[1], "|"); got != "Tokens of all tools|50000||new|" {
		t.Errorf("got %s", got)
	}
	if v.Said != "Recall at 1: 0.250 in 100 tokens, 2: 0.500 in 200 tokens." {
		t.Errorf("got %s", v.Said)
	}
	for _, want := range []string{"The figures cover 2 of 3 queries: those that every run answered with at most 4 MiB.", "The proxy's own tools are not counted."} {
		if !strings.Contains(v.Note, want) {
			t.Errorf("%q lacks %q", v.Note, want)
		}
	}
	// The axis ends at the 800 tokens of the baseline: the curve's 100 tokens are at an eighth of it.
	for _, want := range []string{`<polyline class="line" points="71.8,99.5 109.5,69.0"/>`, `<polyline class="baseline" points="185.0,99.5 336.0,69.0"/>`, ">800</text>"} {
		if !strings.Contains(string(v.Curve), want) {
			t.Errorf("%s lacks %s", v.Curve, want)
		}
	}
	if md := strings.Join(markdownCost(&r), ""); !strings.Contains(md, "| Tokens per answer | 1500 | 1400 to 1600 | 1600 | −100 |\n") {
		t.Errorf("got %s", md)
	}
	if viewCost(&contracts.Aggregate{}) != nil || markdownCost(&contracts.Report{}) != nil {
		t.Error("a report without costs shows some")
	}
}
