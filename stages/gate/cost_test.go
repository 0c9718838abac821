package gate

import (
	"slices"
	"strings"
	"testing"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/metrics"
)

// withCost adds the cost of discovery: 1500 tokens for an answer and a break-even of
// 20 queries.
func withCost(agg contracts.Aggregate) contracts.Aggregate {
	interval := contracts.Interval{Low: 1400, High: 1600}
	agg.Retrieval.Cost = &contracts.CostSummary{Tokenizer: "o200k_base", Queries: 2,
		Figures: []contracts.CostFigure{
			{Figure: metrics.CostAnswerTokens, Mean: 1500, Interval: &interval, PerRun: []float64{1500}},
			{Figure: metrics.CostBreakEven, Mean: 20, PerRun: []float64{20}},
		},
		Curve: []contracts.CostCurveStep{{K: 1, Tokens: 1500, Recall: 0.5}}}
	return agg
}

func TestCostIsJudgedByItsThreshold(t *testing.T) {
	b := goodBaseline(t)
	agg := withCost(aggregated(t, goodQueries(), goodEntries(), &b))
	g, _, err := judge(t, agg, b)
	if err != nil {
		t.Fatal(err)
	}
	if slices.ContainsFunc(g.Checks, func(c contracts.GateCheck) bool { return c.Metric == metrics.CostAnswerTokens }) {
		t.Error("a figure without a threshold was judged")
	}
	for _, c := range []struct {
		figure, comparison string
		bound              float64
		passes             bool
	}{
		{metrics.CostAnswerTokens, "<=", 1500, true}, {metrics.CostAnswerTokens, "<=", 1499, false},
		{metrics.CostBreakEven, ">=", 20, true}, {metrics.CostBreakEven, ">=", 21, false},
	} {
		b.Thresholds.Cost = map[string]float64{c.figure: c.bound}
		g, _, err := judge(t, agg, b)
		if err != nil {
			t.Fatal(err)
		}
		if got := checkOf(t, g, Subject, c.figure); got.Passed != c.passes || g.Passed != c.passes || got.Comparison != c.comparison || got.Bound != c.bound {
			t.Errorf("%+v: got %+v", c, got)
		}
	}
	// An update keeps the threshold and takes over the figures.
	agg.Degraded = ""
	next, err := NewBaseline(agg, &b)
	if err != nil || next.Thresholds.Cost[metrics.CostBreakEven] != 21 || next.Cost.Figures[metrics.CostAnswerTokens] != 1500 || len(next.Cost.Curve) != 1 {
		t.Errorf("%+v, %+v, %v", next.Thresholds.Cost, next.Cost, err)
	}
	if lines := BaselineChanges(&b, next); !slices.Contains(lines, "answer_tokens: 1500 (new)") || !slices.Contains(lines, "break_even_queries: 20.0 (new)") {
		t.Errorf("changes: %q", lines)
	}
}

func TestCostThresholdThatJudgesNothing(t *testing.T) {
	b := goodBaseline(t)
	with := withCost(aggregated(t, goodQueries(), goodEntries(), &b))
	without, rest := with, with
	without.Retrieval.Cost = nil
	rest.SearchPath = contracts.SearchREST
	for _, c := range []struct {
		want, figure string
		agg          contracts.Aggregate
	}{
		{"recall_at_5, which is no figure of the cost of discovery", "recall_at_5", with},
		{"answer_tokens has a threshold but was not measured", metrics.CostAnswerTokens, without},
		{"a proxy that is searched over rest offers no tools of its own", metrics.CostOwnToolsTokens, rest},
	} {
		b.Thresholds.Cost = map[string]float64{c.figure: 1}
		if _, _, err := judge(t, c.agg, b); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}
