package gate

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/stages/aggregate"
	"github.com/touchstone-eval/touchstone/stages/internal/fixture"
)

// without removes a metric and its threshold from a baseline.
func without(b contracts.Baseline, metric string) contracts.Baseline {
	delete(b.Metrics, metric)
	for i := range b.PerQuery {
		delete(b.PerQuery[i].Metrics, metric)
	}
	b.Thresholds.Retrieval = slices.DeleteFunc(b.Thresholds.Retrieval, func(t contracts.MetricThreshold) bool { return t.Metric == metric })
	return b
}

func TestAMetricThatTheBaselineLacksIsNew(t *testing.T) {
	b := without(goodBaseline(t), "mrr")
	g, log, err := judge(t, aggregated(t, goodQueries(), goodEntries(), &b), b)
	if err != nil {
		t.Fatal(err)
	}
	if len(g.Unjudged) != 2 || g.Unjudged[0].Metric != "mrr" || g.Unjudged[0].State != contracts.ChangeNew || g.Unjudged[0].Value != .875 {
		t.Errorf("got %+v", g.Unjudged)
	}
	if !g.Passed || len(g.Checks) != goodChecks-1 || !strings.Contains(log, "retrieval mrr is new: not in the baseline, not judged") {
		t.Errorf("%d checks, log %q", len(g.Checks), log)
	}
	// A threshold for it would judge nothing.
	b.Thresholds.Retrieval = append(b.Thresholds.Retrieval, contracts.MetricThreshold{Metric: "mrr"})
	if _, _, err := judge(t, aggregated(t, goodQueries(), goodEntries(), &b), b); err == nil || !strings.Contains(err.Error(), "mrr has a threshold, but the baseline has no figure to compare with") {
		t.Errorf("got %v", err)
	}
}

func TestAMetricThatIsNoLongerMeasured(t *testing.T) {
	b := goodBaseline(t)
	b.Metrics["luck"] = .5
	for i := range b.PerQuery {
		b.PerQuery[i].Metrics["luck"] = .5
	}
	g, log, err := judge(t, aggregated(t, goodQueries(), goodEntries(), &b), b)
	if err != nil {
		t.Fatal(err)
	}
	if len(g.Unjudged) != 2 || g.Unjudged[1].Metric != "luck" || g.Unjudged[1].State != contracts.ChangeRemoved || g.Unjudged[1].Value != .5 {
		t.Errorf("got %+v", g.Unjudged)
	}
	if !g.Passed || len(g.Checks) != goodChecks || !strings.Contains(log, "retrieval luck is removed: no longer measured, not judged") {
		t.Errorf("%d checks, log %q", len(g.Checks), log)
	}
	b.Thresholds.Retrieval = append(b.Thresholds.Retrieval, contracts.MetricThreshold{Metric: "luck"})
	if _, _, err := judge(t, aggregated(t, goodQueries(), goodEntries(), &b), b); err == nil || !strings.Contains(err.Error(), "luck has a threshold but is no longer measured; remove its threshold") {
		t.Errorf("got %v", err)
	}
}

// A baseline that gained or lost a metric since the figures were compared is
// another baseline, even under the same name.
func TestABaselineThatGotAMetricIsAnother(t *testing.T) {
	b := goodBaseline(t)
	less := without(goodBaseline(t), "map")
	for _, pair := range [][2]contracts.Baseline{{b, less}, {less, b}} {
		agg := aggregated(t, goodQueries(), goodEntries(), &pair[0])
		if _, _, err := judge(t, agg, pair[1]); err == nil || !strings.Contains(err.Error(), "no longer the baseline that the figures were compared with") {
			t.Errorf("got %v", err)
		}
	}
}

// Figures that cannot be read give an aggregate without a comparison. A new
// baseline can be made from it, but the gate refuses it.
func TestABaselineThatCannotBeRead(t *testing.T) {
	f := fixture.Write(t, []contracts.RetrievalReport{fixture.Retrieval(1, goodQueries()...)}, []contracts.SecurityReport{fixture.Security("scanner", 1, goodEntries()...)})
	opts := aggregate.Options{Validation: f.Validation, Retrieval: f.Retrieval, Security: f.Security, Baseline: filepath.Join(f.Dir, "nothing.json"), Out: filepath.Join(f.Dir, "a.json")}
	if err := aggregate.Run(context.Background(), opts); err == nil {
		t.Error("a missing baseline was ignored")
	}
	opts.Baseline = f.Validation // JSON, but not a baseline
	if err := aggregate.Run(context.Background(), opts); err != nil {
		t.Fatal(err)
	}
	agg := fixture.ReadFile[contracts.Aggregate](t, opts.Out)
	if agg.Baseline.Comparable || !strings.HasPrefix(agg.Baseline.Reason, "the baseline cannot be read: ") {
		t.Errorf("got %+v", agg.Baseline)
	}
	if err := Run(context.Background(), Options{Aggregate: opts.Out, Baseline: opts.Baseline, Out: filepath.Join(f.Dir, "g.json")}); err == nil || !strings.Contains(err.Error(), opts.Baseline+":") {
		t.Errorf("got %v", err)
	}
	if _, err := NewBaseline(agg, nil); err != nil {
		t.Error(err)
	}
}

func TestThresholdRemarks(t *testing.T) {
	old := without(goodBaseline(t), "mrr")
	next := goodBaseline(t)
	next.Thresholds = old.Thresholds
	got := ThresholdRemarks(&old, next)
	if len(got) != 1 || !strings.Contains(got[0], `add {"metric": "mrr", "tolerance": 0, "derived": 0} to thresholds.retrieval`) {
		t.Errorf("a new metric: %q", got)
	}
	// A user who removed a threshold is not told to add it again.
	if got := ThresholdRemarks(&next, next); got != nil {
		t.Errorf("an old metric: %q", got)
	}
	next.Thresholds.Retrieval = append(next.Thresholds.Retrieval, contracts.MetricThreshold{Metric: "luck"})
	if got := ThresholdRemarks(&next, next); len(got) != 1 || !strings.Contains(got[0], "the threshold for luck is kept, but luck is not measured") {
		t.Errorf("a metric that is gone: %q", got)
	}
}
