package aggregate

import (
	"testing"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/metrics"
	"github.com/touchstone-eval/touchstone/stages/internal/fixture"
)

// costly is a report in which all tools cost 1000 tokens, the proxy's own 100, and
// each answer 10 for the query's number and 20 for each result.
func costly(number int, queries ...contracts.QueryResult) contracts.RetrievalReport {
	for i := range queries {
		q := &queries[i]
		if q.Error != "" {
			continue
		}
		q.Cost = &contracts.QueryCost{Calls: 1, Tokens: 10 * (i + 1), Bytes: 40 * (i + 1)}
		for range q.Ranked {
			q.Cost.Tokens += 20
			q.Cost.TokensThrough = append(q.Cost.TokensThrough, q.Cost.Tokens)
		}
	}
	r := fixture.Retrieval(number, queries...)
	r.Cost = &contracts.RunCost{Tokenizer: "o200k_base", OwnTools: &contracts.OfferedTools{Tools: 2, Bytes: 400, Tokens: 100},
		AllTools: contracts.OfferedTools{Tools: 9, Bytes: 4000, Tokens: 1000}}
	return r
}

func costRun(number int) contracts.RetrievalReport {
	return costly(number, fixture.Query("q1", labels{"s:a": 2}, "s:a", "s:b"),
		fixture.Query("q2", labels{"s:c": 2}, "s:x", "s:y", "s:c"), fixture.Query("q3", labels{"s:d": 1}, "s:x"))
}

func costRuns(n int) []contracts.RetrievalReport {
	var runs []contracts.RetrievalReport
	for number := 1; number <= n; number++ {
		runs = append(runs, costRun(number))
	}
	return runs
}

func costsOf(t *testing.T, retrieval []contracts.RetrievalReport, baseline *contracts.Baseline) *contracts.CostSummary {
	t.Helper()
	agg, err := run(t, retrieval, []contracts.SecurityReport{fixture.Security("scanner", 1, entries...)}, baseline)
	if err != nil {
		t.Fatal(err)
	}
	return agg.Retrieval.Cost
}

func TestCosts(t *testing.T) {
	c := costsOf(t, costRuns(2), nil)
	if c == nil || c.Queries != 3 || c.Tokenizer != "o200k_base" || len(c.Figures) != len(metrics.CostFigures()) {
		t.Fatalf("got %+v", c)
	}
	// The answers have 50, 80 and 50 tokens. The third has no right tool.
	for i, want := range []float64{60, 60 + 1000./3, 100, 1000, 15, 80, 1} {
		f := c.Figures[i]
		if f.Figure != metrics.CostFigures()[i].Name {
			t.Errorf("figure %d is %s", i, f.Figure)
		}
		near(t, f.Figure, f.Mean, want)
		if len(f.PerRun) != 2 || f.PerRun[0] != f.Mean || f.Spread != 0 || f.Baseline != nil {
			t.Errorf("%+v", f)
		}
		perQuery := f.Figure != metrics.CostOwnToolsTokens && f.Figure != metrics.CostAllToolsTokens
		if perQuery != (f.Interval != nil) || perQuery && (f.Interval.Low > f.Mean || f.Interval.High < f.Mean) {
			t.Errorf("%s is %v, and its interval %+v", f.Figure, f.Mean, f.Interval)
		}
	}
	want := []contracts.CostCurveStep{{K: 1, Tokens: (30 + 40 + 50) / 3., Recall: 1 / 3.},
		{K: 2, Tokens: (50 + 60 + 50) / 3., Recall: 1 / 3.}, {K: 3, Tokens: (50 + 80 + 50) / 3., Recall: 2 / 3.}}
	if len(c.Curve) != len(want) {
		t.Fatalf("the curve is %+v", c.Curve)
	}
	for i, step := range c.Curve {
		if step.K != want[i].K {
			t.Errorf("step %d is %+v", i, step)
		}
		near(t, "tokens", step.Tokens, want[i].Tokens)
		near(t, "recall", step.Recall, want[i].Recall)
	}
}

// An answer that cannot be cut leaves the whole answers. A query that one run did not
// answer is left out, and a run without costs leaves nothing.
func TestCostsInPart(t *testing.T) {
	runs := costRuns(1)
	runs[0].PerQuery[1].Cost.TokensThrough = nil
	c := costsOf(t, runs, nil)
	if len(c.Curve) != 1 || c.Curve[0].K != 3 || c.Curve[0].Tokens != 60 {
		t.Errorf("the curve is %+v", c.Curve)
	}

	runs = []contracts.RetrievalReport{costRun(1), costly(2, fixture.Query("q1", labels{"s:a": 2}, "s:a", "s:b"),
		fixture.Errored("q2", labels{"s:c": 2}, "timeout"), fixture.Query("q3", labels{"s:d": 1}, "s:x"))}
	runs[0].Cost.OwnTools, runs[1].Cost.OwnTools = nil, nil
	if c = costsOf(t, runs, nil); c.Queries != 2 {
		t.Errorf("%d queries", c.Queries)
	}
	if _, ok := c.FigureByName(metrics.CostOwnToolsTokens); ok {
		t.Error("tools of a proxy without MCP were counted")
	}
	even, _ := c.FigureByName(metrics.CostBreakEven)
	near(t, "break-even", even.Mean, 1000/50.)

	runs = costRuns(2)
	runs[1].Cost = nil
	if c = costsOf(t, runs, nil); c != nil {
		t.Errorf("got %+v", c)
	}
}
