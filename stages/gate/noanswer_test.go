package gate

import (
	"slices"
	"strings"
	"testing"

	"github.com/touchstone-eval/touchstone/contracts"
)

// withNoAnswer adds two unanswerable queries, of which one got an empty
// list.
func withNoAnswer(agg contracts.Aggregate) contracts.Aggregate {
	agg.Retrieval.NoAnswer = &contracts.NoAnswerSummary{Queries: 2, PerQuery: []contracts.NoAnswerQuery{},
		Metrics: []contracts.MetricSummary{{Metric: "no_answer_empty", Mean: 0.5, Interval: contracts.Interval{Low: 0.1, High: 0.9}, PerRun: []float64{0.5}}}}
	return agg
}

func TestNoAnswerIsJudgedByItsThreshold(t *testing.T) {
	b := goodBaseline(t)
	b.Thresholds.NoAnswer = nil
	agg := withNoAnswer(aggregated(t, goodQueries(), goodEntries(), &b))
	g, _, err := judge(t, agg, b)
	if err != nil {
		t.Fatal(err)
	}
	if slices.ContainsFunc(g.Checks, func(c contracts.GateCheck) bool { return strings.HasPrefix(c.Metric, "no_answer") }) {
		t.Error("a metric without a threshold was judged")
	}
	for floor, passes := range map[float64]bool{0.5: true, 0.6: false} {
		b.Thresholds.NoAnswer = []contracts.NoAnswerThreshold{{Metric: "no_answer_empty", Floor: floor}}
		g, _, err := judge(t, agg, b)
		if err != nil {
			t.Fatal(err)
		}
		c := checkOf(t, g, Subject, "no_answer_empty")
		if c.Passed != passes || g.Passed != passes || c.Value != 0.5 || c.Bound != floor || *c.Interval != (contracts.Interval{Low: 0.1, High: 0.9}) {
			t.Errorf("floor %g: %+v", floor, c)
		}
	}
	// A later update keeps the floor.
	agg.Degraded = ""
	next, err := NewBaseline(agg, &b)
	if err != nil || len(next.Thresholds.NoAnswer) != 1 {
		t.Errorf("%+v, %v", next.Thresholds.NoAnswer, err)
	}
}

func TestNoAnswerThresholdThatJudgesNothing(t *testing.T) {
	b := goodBaseline(t)
	floor := func(metric string) contracts.NoAnswerThreshold {
		return contracts.NoAnswerThreshold{Metric: metric, Floor: 0.1}
	}
	with := withNoAnswer(aggregated(t, goodQueries(), goodEntries(), &b))
	without := with
	without.Retrieval.NoAnswer = nil
	for want, c := range map[string]struct {
		agg        contracts.Aggregate
		thresholds []contracts.NoAnswerThreshold
	}{
		"recall_at_5, which is no metric of queries without a right tool": {with, []contracts.NoAnswerThreshold{floor("recall_at_5")}},
		"no_answer_empty has two thresholds":                              {with, []contracts.NoAnswerThreshold{floor("no_answer_empty"), floor("no_answer_empty")}},
		"no_answer_auc has a threshold but is not defined for this proxy": {with, []contracts.NoAnswerThreshold{floor("no_answer_auc")}},
		"the golden set has no query with":                                {without, []contracts.NoAnswerThreshold{floor("no_answer_empty")}},
	} {
		b.Thresholds.NoAnswer = c.thresholds
		if _, _, err := judge(t, c.agg, b); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
