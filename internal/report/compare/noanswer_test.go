package compare

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/touchstone-eval/touchstone/contracts"
)

func TestNoAnswer(t *testing.T) {
	unserved := func(id, first string, empty, errored int) contracts.NoAnswerQuery {
		q := contracts.NoAnswerQuery{ID: id, Query: "wish of " + id, EmptyRuns: empty, ErroredRuns: errored}
		if first != "" {
			q.Ranked = []contracts.RankedTool{{Rank: 1, ToolID: first}}
		}
		return q
	}
	report := func(share float64, queries ...contracts.NoAnswerQuery) *contracts.Aggregate {
		r := reportOf("p", answered("q1", "s:right", 1))
		r.Retrieval.Runs = 3
		r.Retrieval.NoAnswer = &contracts.NoAnswerSummary{Queries: len(queries), PerQuery: queries, Metrics: []contracts.MetricSummary{
			{Metric: "no_answer_empty", Mean: share, Interval: contracts.Interval{Low: share / 2, High: 1}},
		}}
		return r
	}
	other := unserved("edited", "", 3, 0)
	other.Query = "another wish"
	a := report(0.5, unserved("lost", "", 3, 0), unserved("won", "s:x", 1, 0), unserved("same", "", 2, 0), unserved("edited", "s:x", 0, 0), unserved("down", "", 3, 0))
	b := report(0.75, unserved("lost", "s:y", 0, 0), unserved("won", "", 2, 1), unserved("same", "", 3, 0), other, unserved("down", "", 0, 3))
	c, err := Reports("a", a, "b", b, Options{})
	if err != nil {
		t.Fatal(err)
	}
	half, more := 0.5, 0.75
	want := &NoAnswer{
		Queries: 3, P: 1,
		Rates: []NoAnswerRate{{"no_answer_empty", Rates{A: &half, B: &more, AInterval: &contracts.Interval{Low: 0.25, High: 1}, BInterval: &contracts.Interval{Low: 0.375, High: 1}}}},
		Changed: []NoAnswerQuery{
			{ID: "lost", Query: "wish of lost", Outcome: Loss, B: "s:y"},
			{ID: "won", Query: "wish of won", Outcome: Win, A: "s:x"},
		},
	}
	if d := cmp.Diff(want, c.NoAnswer); d != "" {
		t.Error(d)
	}
	b.Retrieval.NoAnswer = nil
	if c, err = Reports("a", a, "b", b, Options{}); err != nil || c.NoAnswer != nil {
		t.Errorf("one report has no such query: %+v, %v", c.NoAnswer, err)
	}
}
