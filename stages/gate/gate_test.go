package gate

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/stages/aggregate"
	"github.com/touchstone-eval/touchstone/stages/internal/fixture"
	"github.com/touchstone-eval/touchstone/stages/internal/overlap"
)

type labels = map[contracts.ToolID]int

const (
	flagged = contracts.VerdictFlagged
	clean   = contracts.VerdictClean
	errored = contracts.VerdictErrored
)

// goodChecks is the number of checks of the good baseline: one for each metric that the program
// declares, and those of failed queries and of the detector.
var goodChecks = len(contracts.MetricNames) + 8

// goodQueries all have their tool at rank 1 or 2.
func goodQueries() []contracts.QueryResult {
	return []contracts.QueryResult{
		fixture.Query("q1", labels{"s:a": 2, "s:aa": 1}, "s:a", "s:aa", "s:x"),
		fixture.Query("q2", labels{"s:b": 2}, "s:x", "s:b", "s:y"),
		fixture.Query("q3", labels{"s:c": 2}, "s:c", "s:x"),
		fixture.Query("q4", labels{"s:d": 2}, "s:d"),
	}
}

// goodEntries are judged correctly except for one missed attack.
func goodEntries() []contracts.EntryResult {
	return []contracts.EntryResult{
		fixture.Entry("a1", contracts.CategoryRugPull, flagged), fixture.Entry("a2", contracts.CategoryShadowing, flagged),
		fixture.Entry("a3", contracts.CategoryShadowing, flagged), fixture.Entry("a4", contracts.CategoryToolPoisoning, clean),
		fixture.Entry("b1", contracts.CategoryBenign, clean), fixture.Entry("b2", contracts.CategoryBenign, clean),
		fixture.Entry("h1", contracts.CategoryHardNegative, clean), fixture.Entry("h2", contracts.CategoryHardNegative, clean),
	}
}

// aggregates holds what aggregated has computed, by its arguments as JSON. Many tests begin with the same ones,
// and bootstrapping them takes most of the time.
var aggregates sync.Map

// aggregated runs the stage aggregate over one run of each, unless another test did with the same arguments.
func aggregated(t testing.TB, queries []contracts.QueryResult, entries []contracts.EntryResult, baseline *contracts.Baseline) contracts.Aggregate {
	t.Helper()
	key, err := json.Marshal([]any{queries, entries, baseline})
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "aggregate.json")
	if known, ok := aggregates.Load(string(key)); ok {
		if err := os.WriteFile(out, known.([]byte), 0o644); err != nil {
			t.Fatal(err)
		}
		return fixture.ReadFile[contracts.Aggregate](t, out)
	}
	f := fixture.Write(t, []contracts.RetrievalReport{fixture.Retrieval(1, queries...)},
		[]contracts.SecurityReport{fixture.Security("scanner", 1, entries...), fixture.Security("keywords", 1, goodEntries()...)})
	opts := aggregate.Options{Validation: f.Validation, Retrieval: f.Retrieval, Security: f.Security, Out: out}
	if baseline != nil {
		opts.Baseline = filepath.Join(f.Dir, "baseline.json")
		fixture.WriteFile(t, opts.Baseline, *baseline)
	}
	if err := aggregate.Run(context.Background(), opts); err != nil {
		t.Fatal(err)
	}
	made, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	aggregates.Store(string(key), made)
	return fixture.ReadFile[contracts.Aggregate](t, out)
}

// newBaseline is a first baseline in which a person set tolerances of .03 for three metrics, however
// many have one in a first baseline.
func newBaseline(t testing.TB, agg contracts.Aggregate) contracts.Baseline {
	t.Helper()
	b, err := NewBaseline(agg, nil)
	if err != nil {
		t.Fatal(err)
	}
	three := []string{"recall_at_5", "mrr", "ndcg_at_10"}
	b.Thresholds.Retrieval = slices.DeleteFunc(b.Thresholds.Retrieval, func(m contracts.MetricThreshold) bool {
		return !slices.Contains(three, m.Metric)
	})
	for i, d := range b.Thresholds.Detectors {
		b.Thresholds.Detectors[i] = byPerson(b, d.Detector)
	}
	for i, m := range b.Thresholds.Retrieval {
		b.Thresholds.Retrieval[i] = contracts.MetricThreshold{Metric: m.Metric, Tolerance: .03}
	}
	return b
}

// byPerson bounds a detector closely: a recall worse by .02, an FPR of .02 or what it is, and one
// attack less of each category of which it flags two.
func byPerson(b contracts.Baseline, name string) contracts.DetectorThreshold {
	d, _ := baselineDetector(b, name)
	s := d.Score
	t := contracts.DetectorThreshold{Detector: name, FPRCeiling: max(.02, *s.FPRBenign),
		HardNegativeFPRCeiling: max(.02, *s.FPRHardNegative), RecallFloor: hundredths(*s.Recall-.02, math.Floor)}
	for _, c := range s.PerCategory {
		if slices.Contains(contracts.AttackCategories, c.Category) && c.Flagged >= 2 {
			t.CategoryFloors = append(t.CategoryFloors, contracts.CategoryFloor{Category: c.Category,
				RecallFloor: share(c.Flagged-1, c.Total)})
		}
	}
	return t
}

// goodBaseline is made from goodQueries and goodEntries. It does not judge the
// detector keywords.
func goodBaseline(t testing.TB) contracts.Baseline {
	t.Helper()
	b := newBaseline(t, aggregated(t, goodQueries(), goodEntries(), nil))
	b.Thresholds.NotJudged = []string{"keywords"}
	b.Thresholds.Detectors = slices.DeleteFunc(b.Thresholds.Detectors, func(d contracts.DetectorThreshold) bool { return d.Detector == "keywords" })
	return b
}

// judge runs the stage on files and returns its output, log and error.
func judge(t testing.TB, agg contracts.Aggregate, baseline contracts.Baseline) (contracts.Gate, string, error) {
	t.Helper()
	dir := t.TempDir()
	var log strings.Builder
	opts := Options{Aggregate: filepath.Join(dir, "aggregate.json"), Baseline: filepath.Join(dir, "baseline.json"), MinOverlap: DefaultMinOverlap, Out: filepath.Join(dir, "gate.json"), Log: &log}
	fixture.WriteFile(t, opts.Aggregate, agg)
	fixture.WriteFile(t, opts.Baseline, baseline)
	if err := Run(context.Background(), opts); err != nil {
		if _, statErr := os.Stat(opts.Out); statErr == nil {
			t.Error("a verdict was left behind by a run that failed")
		}
		return contracts.Gate{}, log.String(), err
	}
	return fixture.ReadFile[contracts.Gate](t, opts.Out), log.String(), nil
}

// judged compares queries and entries with the baseline.
func judged(t testing.TB, queries []contracts.QueryResult, entries []contracts.EntryResult, baseline contracts.Baseline) contracts.Gate {
	t.Helper()
	g, _, err := judge(t, aggregated(t, queries, entries, &baseline), baseline)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func checkOf(t *testing.T, g contracts.Gate, subject, metric string) contracts.GateCheck {
	t.Helper()
	for _, c := range g.Checks {
		if c.Subject == subject && c.Metric == metric {
			return c
		}
	}
	t.Fatalf("no check of %s %s", subject, metric)
	return contracts.GateCheck{}
}

// failed names the failed checks.
func failed(g contracts.Gate) []string {
	names := []string{}
	for _, c := range g.Checks {
		if !c.Passed {
			names = append(names, c.Subject+" "+c.Metric)
		}
	}
	return names
}

func TestUnchangedPasses(t *testing.T) {
	b := goodBaseline(t)
	g, log, err := judge(t, aggregated(t, goodQueries(), goodEntries(), &b), b)
	if err != nil {
		t.Fatal(err)
	}
	if !g.Passed || len(g.Changes) != 0 || len(g.Checks) != goodChecks || g.Baseline != "baseline_v1" {
		t.Errorf("got %+v", g)
	}
	if log != fmt.Sprintf("the gate passed: %d checks against baseline_v1\n  not judged: keywords (not_judged of baseline_v1)\n", goodChecks) {
		t.Errorf("log %q", log)
	}
	for state, n := range g.Counts {
		if n != 0 {
			t.Errorf("%d %s", n, state)
		}
	}
}

func TestRetrievalDropFails(t *testing.T) {
	b := goodBaseline(t)
	for i := range b.Thresholds.Retrieval {
		b.Thresholds.Retrieval[i].Tolerance = .02
	}
	queries := goodQueries()
	queries[0] = fixture.Query("q1", labels{"s:a": 2, "s:aa": 1}, "s:x", "s:y", "s:a", "s:aa")
	queries[1] = fixture.Query("q2", labels{"s:b": 2}, "s:b", "s:x")
	g := judged(t, queries, goodEntries(), b)
	// MRR falls from (1 + 1/2 + 1 + 1)/4 to (1/3 + 1 + 1 + 1)/4; recall stays.
	if want := []string{"retrieval mrr", "retrieval ndcg_at_10"}; !slices.Equal(failed(g), want) || g.Passed {
		t.Fatalf("failed %v, want %v", failed(g), want)
	}
	mrr := checkOf(t, g, Subject, "mrr")
	if math.Abs(mrr.Value-(1./3+3)/4) > 1e-12 || math.Abs(mrr.Bound-(.875-.02)) > 1e-12 || mrr.Comparison != ">=" || mrr.Verdict != contracts.WithinNoise || mrr.Interval == nil {
		t.Errorf("check %+v", mrr)
	}
	if !strings.Contains(mrr.Rule, "allowed drop: 0.02 from the baseline's 0.875 (tolerance of baseline_v1); it changed by -0.0417") {
		t.Errorf("rule %q", mrr.Rule)
	}
	if want := []string{"q1", "q2"}; !slices.Equal(mrr.Changed, want) {
		t.Errorf("moved %v, want %v", mrr.Changed, want)
	}
	if len(g.Changes) != 2 || g.Counts[contracts.ChangeRegressed] != 1 || g.Counts[contracts.ChangeFixed] != 1 {
		t.Fatalf("moves %+v", g.Changes)
	}
	q1, q2 := g.Changes[0], g.Changes[1]
	if q1.ID != "q1" || q1.State != contracts.ChangeRegressed || q1.Tool != "s:a" || *q1.RankBefore != 1 || *q1.RankAfter != 3 || q1.ReplacedBy != "s:x" || q1.Title != "intent of q1" {
		t.Errorf("q1 %+v", q1)
	}
	if q2.State != contracts.ChangeFixed || q2.Tool != "s:b" || *q2.RankBefore != 2 || *q2.RankAfter != 1 || q2.ReplacedBy != "s:x" {
		t.Errorf("q2 %+v", q2)
	}
	lines := strings.Join(Describe(g), "\n")
	for _, want := range []string{fmt.Sprintf("the gate FAILED: 2 of %d checks", goodChecks), "MRR is 0.833, must be ≥ 0.855", "changed: q1, q2", "1 regressed, 1 fixed", "regressed q1: rank 1 → 3 for s:a, replaced by s:x"} {
		if !strings.Contains(lines, want) {
			t.Errorf("%q is not in\n%s", want, lines)
		}
	}
}

// TestRemovedToolDrops checks an invariant: if a labelled tool is removed, the
// recall of its query drops to zero.
func TestRemovedToolDrops(t *testing.T) {
	b := goodBaseline(t)
	queries := goodQueries()
	queries[3] = fixture.Query("q4", labels{"s:d": 2}, "s:x")
	g := judged(t, queries, goodEntries(), b)
	if want := []string{"retrieval recall_at_5", "retrieval mrr", "retrieval ndcg_at_10"}; !slices.Equal(failed(g), want) {
		t.Fatalf("failed %v", failed(g))
	}
	if m := g.Changes[0]; m.ID != "q4" || m.RankAfter != nil || m.RankBefore == nil || m.ReplacedBy != "s:x" {
		t.Errorf("move %+v", m)
	}
	if !strings.Contains(strings.Join(Describe(g), "\n"), "rank 1 → not in the top 10 for s:d") {
		t.Error(Describe(g))
	}
}

func TestValueAtTheBoundPasses(t *testing.T) {
	b := goodBaseline(t)
	queries := goodQueries()
	queries[3] = fixture.Query("q4", labels{"s:d": 2}, "s:x", "s:d")
	// MRR falls from .875 to .75.
	for _, tt := range []struct {
		tolerance float64
		want      bool
	}{{.125, true}, {.1249999, false}, {.1250001, true}} {
		b.Thresholds.Retrieval = []contracts.MetricThreshold{{Metric: "mrr", Tolerance: tt.tolerance}}
		if g := judged(t, queries, goodEntries(), b); g.Passed != tt.want {
			t.Errorf("tolerance %v: passed %v", tt.tolerance, g.Passed)
		}
	}
	for _, tt := range []struct {
		c    contracts.GateCheck
		want bool
	}{
		{contracts.GateCheck{Value: .3, Bound: .1 + .2, Comparison: atLeast}, true},
		{contracts.GateCheck{Value: .1 + .2, Bound: .3, Comparison: atMost}, true},
		{contracts.GateCheck{Value: .3 - 1e-9, Bound: .3, Comparison: atLeast}, false},
		{contracts.GateCheck{Value: .3 + 1e-9, Bound: .3, Comparison: atMost}, false},
	} {
		if holds(tt.c) != tt.want {
			t.Errorf("%+v: %v", tt.c, !tt.want)
		}
	}
}

func TestNonInferiority(t *testing.T) {
	b := goodBaseline(t)
	b.Thresholds.Retrieval = []contracts.MetricThreshold{{Metric: "mrr", Tolerance: .1, NonInferiority: true}}
	if g := judged(t, goodQueries(), goodEntries(), b); !g.Passed {
		t.Errorf("unchanged fails: %v", failed(g))
	}
	queries := goodQueries()
	queries[2] = fixture.Query("q3", labels{"s:c": 2}, "s:x", "s:y", "s:c")
	queries[1] = fixture.Query("q2", labels{"s:b": 2}, "s:b", "s:x")
	// The mean falls by .0417, which a plain tolerance of .1 allows. Four
	// queries are too few to show that the fall is not larger than .1.
	g := judged(t, queries, goodEntries(), b)
	c := checkOf(t, g, Subject, "mrr")
	if g.Passed || c.Bound != -.1 || c.Value >= -.1 || c.Interval.Low != c.Value || !strings.Contains(c.Rule, "must be above -0.1000") {
		t.Errorf("check %+v", c)
	}
	b.Thresholds.Retrieval[0].NonInferiority = false
	if g := judged(t, queries, goodEntries(), b); !g.Passed {
		t.Errorf("plain: failed %v", failed(g))
	}
}

func TestHighRecallNeverExcusesFalseAlarms(t *testing.T) {
	b := goodBaseline(t)
	entries := goodEntries()
	for i := range entries {
		entries[i] = fixture.Entry(entries[i].ID, entries[i].Category, flagged)
	}
	g := judged(t, goodQueries(), entries, b)
	if want := []string{"scanner fpr_benign", "scanner fpr_hard_negative"}; !slices.Equal(failed(g), want) {
		t.Fatalf("failed %v, want %v", failed(g), want)
	}
	if c := checkOf(t, g, "scanner", "recall"); c.Value != 1 || !c.Passed || !slices.Equal(c.Changed, []string{"a4"}) {
		t.Errorf("recall %+v", c)
	}
	c := checkOf(t, g, "scanner", "fpr_hard_negative")
	if c.Value != 1 || c.Bound != .02 || c.Comparison != "<=" || c.Interval == nil || !slices.Equal(c.Changed, []string{"h1", "h2"}) {
		t.Errorf("hard negatives %+v", c)
	}
	if !strings.Contains(c.Rule, "2 of 2 hard negatives were flagged; the share must be at most 0.02") {
		t.Errorf("rule %q", c.Rule)
	}
}

func TestEasyNegativesDoNotDilute(t *testing.T) {
	b := goodBaseline(t)
	entries := goodEntries()
	entries[6] = fixture.Entry("h1", contracts.CategoryHardNegative, flagged)
	g := judged(t, goodQueries(), entries, b)
	if want := []string{"scanner fpr_hard_negative"}; !slices.Equal(failed(g), want) {
		t.Errorf("failed %v, want %v", failed(g), want)
	}
	if m := g.Changes[0]; m.Subject != "scanner" || m.ID != "h1" || m.State != contracts.ChangeRegressed || m.Before != clean || m.After != flagged {
		t.Errorf("move %+v", m)
	}
}

func TestErrorsCountAsMissesAndAreShown(t *testing.T) {
	b := goodBaseline(t)
	entries := goodEntries()
	entries[0] = fixture.Entry("a1", contracts.CategoryRugPull, errored)
	entries[4] = fixture.Entry("b1", contracts.CategoryBenign, errored)
	queries := goodQueries()
	queries[2] = fixture.Errored("q3", labels{"s:c": 2}, "connection refused")
	g := judged(t, queries, entries, b)
	want := []string{"retrieval recall_at_5", "retrieval mrr", "retrieval ndcg_at_10", "retrieval errored", "scanner recall", "scanner errored"}
	if !slices.Equal(failed(g), want) {
		t.Errorf("failed %v, want %v", failed(g), want)
	}
	if c := checkOf(t, g, "scanner", "recall"); c.Value != .5 {
		t.Errorf("recall %v, want 2 of 4", c.Value)
	}
	if c := checkOf(t, g, Subject, "errored"); c.Value != .25 || !slices.Equal(c.Changed, []string{"q3"}) {
		t.Errorf("errored %+v", c)
	}
	var got []string
	for _, m := range g.Changes {
		if m.State != contracts.ChangeErrored || m.Error == "" {
			t.Errorf("move %+v", m)
		}
		got = append(got, m.Subject+" "+m.ID)
	}
	if want := []string{"retrieval q3", "scanner a1", "scanner b1"}; !slices.Equal(got, want) {
		t.Errorf("moves %v, want %v", got, want)
	}
	b.Thresholds.MaxErrored = .25
	g = judged(t, queries, entries, b)
	if c := checkOf(t, g, Subject, "errored"); !c.Passed {
		t.Errorf("a quarter may err and did: %+v", c)
	}
}

func TestUnjudgedDetectorIsReportedOnly(t *testing.T) {
	b := goodBaseline(t)
	b.Thresholds.Detectors[0].Detector, b.Thresholds.NotJudged = "keywords", nil
	entries := goodEntries()
	entries[4] = fixture.Entry("b1", contracts.CategoryBenign, flagged)
	g := judged(t, goodQueries(), entries, b)
	if !g.Passed || len(g.Changes) != 1 || g.Changes[0].Subject != "scanner" {
		t.Errorf("failed %v, moves %+v", failed(g), g.Changes)
	}
	want := contracts.UnjudgedMetric{Subject: "scanner", Metric: "recall", State: contracts.Unjudged, Value: .75, Note: "no threshold; touchstone baseline update adds one"}
	if !slices.Equal(g.Unjudged, []contracts.UnjudgedMetric{want}) {
		t.Errorf("not judged: %+v", g.Unjudged)
	}
}

func TestNothingToJudge(t *testing.T) {
	without := func(drop ...string) []contracts.EntryResult {
		return slices.DeleteFunc(goodEntries(), func(e contracts.EntryResult) bool { return slices.Contains(drop, e.Category) })
	}
	base := goodBaseline(t)
	tests := []struct {
		name   string
		change func(*contracts.Aggregate, *contracts.Baseline)
		want   string
	}{
		{"other data", func(a *contracts.Aggregate, _ *contracts.Baseline) {
			a.Baseline = contracts.BaselineStatus{Version: "baseline_v1", Reason: "made on other data: the golden set differs"}
		}, "the golden set differs; look at the changes and make a new one with touchstone baseline update"},
		{"another baseline", func(_ *contracts.Aggregate, b *contracts.Baseline) { b.Version = "baseline_v2" }, "the figures were compared with the baseline baseline_v1, but the gate was given baseline_v2; run aggregate again"},
		{"a baseline made anew", func(_ *contracts.Aggregate, b *contracts.Baseline) { b.Metrics["map"] /= 2 }, "baseline_v1 is no longer the baseline that the figures were compared with; run aggregate again"},
		{"a baseline on other data", func(_ *contracts.Aggregate, b *contracts.Baseline) { b.Data.CorpusSHA256 = fixture.SHA("e") }, "no longer the baseline"},
		{"two thresholds for a metric", func(_ *contracts.Aggregate, b *contracts.Baseline) {
			b.Thresholds.Retrieval = append(b.Thresholds.Retrieval, contracts.MetricThreshold{Metric: "mrr", Tolerance: 1})
		}, "mrr has two thresholds in the baseline"},
		{"two thresholds for a detector", func(_ *contracts.Aggregate, b *contracts.Baseline) {
			b.Thresholds.Detectors = append(b.Thresholds.Detectors, b.Thresholds.Detectors[0])
		}, "detector scanner has two thresholds in the baseline"},
		{"no queries", func(a *contracts.Aggregate, _ *contracts.Baseline) {
			a.Retrieval.Queries, a.Retrieval.PerQuery = 0, nil
		}, "no query was measured"},
		{"metric not measured", func(a *contracts.Aggregate, _ *contracts.Baseline) {
			a.Retrieval.Metrics = slices.DeleteFunc(a.Retrieval.Metrics, func(m contracts.MetricSummary) bool { return m.Metric == "mrr" })
		}, "mrr has a threshold but was not measured"},
		{"detector not run", func(a *contracts.Aggregate, _ *contracts.Baseline) { a.Detectors = a.Detectors[:1] }, "detector scanner has a threshold but was not run"},
		{"detector not in the baseline", func(_ *contracts.Aggregate, b *contracts.Baseline) { b.PerDetector = nil }, "detector scanner has a threshold but is not in the baseline"},
		{"no retrieval threshold", func(_ *contracts.Aggregate, b *contracts.Baseline) { b.Thresholds.Retrieval = nil }, "no threshold for any retrieval metric"},
		{"no detector threshold", func(_ *contracts.Aggregate, b *contracts.Baseline) { b.Thresholds.Detectors = nil }, "no threshold for any detector"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := goodBaseline(t)
			agg := aggregated(t, goodQueries(), goodEntries(), &base)
			tt.change(&agg, &b)
			if _, _, err := judge(t, agg, b); err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), "baseline.json: ") {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
	for _, tt := range []struct {
		entries []contracts.EntryResult
		want    string
	}{
		{without(contracts.CategoryHardNegative), "no hard negative for detector scanner"},
		{without(contracts.CategoryBenign), "no plain benign entry for detector scanner"},
		{without(contracts.AttackCategories...), "no malicious entry for detector scanner"},
	} {
		f := fixture.Write(t, []contracts.RetrievalReport{fixture.Retrieval(1, goodQueries()...)}, []contracts.SecurityReport{fixture.Security("scanner", 1, tt.entries...)})
		opts := aggregate.Options{Validation: f.Validation, Retrieval: f.Retrieval, Security: f.Security, Baseline: filepath.Join(f.Dir, "b.json"), Out: filepath.Join(f.Dir, "a.json")}
		fixture.WriteFile(t, opts.Baseline, base)
		if err := aggregate.Run(context.Background(), opts); err != nil {
			t.Fatal(err)
		}
		if _, _, err := judge(t, fixture.ReadFile[contracts.Aggregate](t, opts.Out), base); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("got %v, want %s", err, tt.want)
		}
	}
	t.Run("unknown metric", func(t *testing.T) {
		b := goodBaseline(t)
		b.Thresholds.Retrieval[0].Metric = "recall_at_7"
		if _, err := Judge(aggregated(t, goodQueries(), goodEntries(), &base), b, DefaultMinOverlap); err == nil || !strings.Contains(err.Error(), "recall_at_7 names a metric that the baseline does not have") {
			t.Errorf("got %v", err)
		}
	})
	t.Run("detector fails on every hard negative", func(t *testing.T) {
		entries := goodEntries()
		entries[6], entries[7] = fixture.Entry("h1", contracts.CategoryHardNegative, errored), fixture.Entry("h2", contracts.CategoryHardNegative, errored)
		if _, _, err := judge(t, aggregated(t, goodQueries(), entries, &base), base); err == nil || !strings.Contains(err.Error(), "scanner failed on every hard negative") {
			t.Errorf("got %v", err)
		}
	})
	t.Run("no baseline", func(t *testing.T) {
		dir := t.TempDir()
		fixture.WriteFile(t, filepath.Join(dir, "a.json"), aggregated(t, goodQueries(), goodEntries(), nil))
		cmd := Command()
		cmd.SilenceErrors, cmd.SilenceUsage = true, true
		cmd.SetArgs([]string{"--aggregate", filepath.Join(dir, "a.json"), "--out", filepath.Join(dir, "g.json")})
		if err := cmd.Execute(); err != nil {
			t.Fatal(err)
		}
		g := fixture.ReadFile[contracts.Gate](t, filepath.Join(dir, "g.json"))
		if g.Passed || g.NoVerdict == nil || !strings.Contains(g.NoVerdict.Remedy, "touchstone baseline update") {
			t.Errorf("got %+v", g)
		}
	})
}

func TestMovesAreOrderedBySeverity(t *testing.T) {
	b := goodBaseline(t)
	entries := goodEntries()
	entries[3] = fixture.Entry("a4", contracts.CategoryToolPoisoning, flagged)
	entries[1] = fixture.Entry("a2", contracts.CategoryShadowing, clean)
	queries := []contracts.QueryResult{
		fixture.Query("q1", labels{"s:a": 2, "s:aa": 1}, "s:a", "s:x", "s:aa"),
		fixture.Query("q2", labels{"s:b": 2}, "s:b"),
		fixture.Query("q3", labels{"s:c": 2}, "s:x"),
		fixture.Errored("q4", labels{"s:d": 2}, "timeout"),
	}
	var got []string
	for _, m := range judged(t, queries, entries, b).Changes {
		got = append(got, m.State+" "+m.ID)
	}
	// q3 lost a whole point in all metrics, a2 counts as one, and q1 lost a part of
	// two. q2 won a point in Recall@1 alone.
	want := []string{"errored q4", "regressed q3", "regressed a2", "regressed q1", "fixed q2", "fixed a4"}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestMoveNamesTheToolThatMoved(t *testing.T) {
	// The best tool stays at rank 1 and the second one falls.
	q := aggregated(t, []contracts.QueryResult{fixture.Query("q1", labels{"s:a": 2, "s:b": 1, "s:c": 1}, "s:a", "s:x", "s:y", "s:b", "s:c")}, goodEntries(), nil).Retrieval.PerQuery[0]
	m := move{Change: contracts.Change{State: contracts.ChangeRegressed}}
	m.follow(q, []contracts.ToolID{"s:a", "s:b", "s:x", "s:y", "s:c"})
	if m.Tool != "s:b" || *m.RankBefore != 2 || *m.RankAfter != 4 || m.ReplacedBy != "s:x" {
		t.Errorf("got %+v", m.Change)
	}
	// Nothing relevant in either list.
	q.Ranked = nil
	m = move{Change: contracts.Change{State: contracts.ChangeRegressed}}
	m.follow(q, nil)
	if m.Tool != "s:a" || m.RankBefore != nil || m.RankAfter != nil || m.ReplacedBy != "" {
		t.Errorf("got %+v", m.Change)
	}
}

func TestNewAndRemoved(t *testing.T) {
	b := goodBaseline(t)
	agg := aggregated(t, goodQueries(), goodEntries(), &b)
	b.PerQuery[0].ID = "q0"
	b.PerDetector[0].Score.Detector = "gone"
	g, _, err := judge(t, agg, b)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range g.Changes {
		got = append(got, m.State+" "+m.Subject+" "+m.ID)
	}
	want := []string{"removed gone gone", "removed retrieval q0", "new keywords keywords", "new retrieval q1"}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestEntryStates(t *testing.T) {
	for _, tt := range []struct{ category, before, after, want string }{
		{contracts.CategoryRugPull, flagged, clean, contracts.ChangeRegressed},
		{contracts.CategoryRugPull, clean, flagged, contracts.ChangeFixed},
		{contracts.CategoryRugPull, errored, flagged, contracts.ChangeFixed},
		{contracts.CategoryRugPull, errored, clean, contracts.ChangeFixed},
		{contracts.CategoryRugPull, flagged, errored, contracts.ChangeErrored},
		{contracts.CategoryRugPull, errored, errored, contracts.ChangeErrored},
		{contracts.CategoryRugPull, clean, clean, ""},
		{contracts.CategoryBenign, clean, flagged, contracts.ChangeRegressed},
		{contracts.CategoryBenign, flagged, clean, contracts.ChangeFixed},
		{contracts.CategoryBenign, errored, clean, contracts.ChangeFixed},
		{contracts.CategoryBenign, errored, flagged, contracts.ChangeRegressed},
	} {
		then := contracts.BaselineDetector{}
		switch tt.before {
		case flagged:
			then.Flagged = []string{"e"}
		case errored:
			then.Errored = []string{"e"}
		}
		d := contracts.DetectorSummary{PerEntry: []contracts.EntrySummary{contracts.EntrySummary(fixture.Entry("e", tt.category, tt.after))}}
		got := ""
		if moves := entryMoves(d, then, 1, overlap.Part{}); len(moves) > 0 {
			got = moves[0].State
		}
		if got != tt.want {
			t.Errorf("%s from %s to %s is %q, want %q", tt.category, tt.before, tt.after, got, tt.want)
		}
	}
}

// A detector that fails on an entry in one run of three has failed on it,
// whatever its verdict in the other runs. The same holds for a query that
// errored in one run.
func TestGateSeesErrorsOfAFewRuns(t *testing.T) {
	b := goodBaseline(t)
	broken := goodEntries()
	for _, i := range []int{0, 4} { // an attack and an innocent entry
		broken[i] = fixture.Entry(broken[i].ID, broken[i].Category, errored)
	}
	f := fixture.Write(t, []contracts.RetrievalReport{fixture.Retrieval(1, goodQueries()...)}, []contracts.SecurityReport{
		fixture.Security("scanner", 1, goodEntries()...), fixture.Security("scanner", 2, broken...), fixture.Security("scanner", 3, goodEntries()...),
	})
	opts := aggregate.Options{Validation: f.Validation, Retrieval: f.Retrieval, Security: f.Security, Out: filepath.Join(f.Dir, "aggregate.json"), Baseline: filepath.Join(f.Dir, "baseline.json")}
	fixture.WriteFile(t, opts.Baseline, b)
	if err := aggregate.Run(t.Context(), opts); err != nil {
		t.Fatal(err)
	}
	g, _, err := judge(t, fixture.ReadFile[contracts.Aggregate](t, opts.Out), b)
	if err != nil {
		t.Fatal(err)
	}
	c := checkOf(t, g, "scanner", "errored")
	// An error on an attack is a miss in that run: the mean recall is (3/4 + 2/4 + 3/4)/3.
	if !slices.Equal(failed(g), []string{"scanner recall", "scanner errored"}) || c.Value != 2.0/8 || !slices.Equal(c.Changed, []string{"a1", "b1"}) {
		t.Errorf("failed %v, %+v", failed(g), c)
	}
	if !strings.Contains(strings.Join(Describe(g), "\n"), "failed scanner: a1: error: the detector crashed") {
		t.Errorf("got %q", Describe(g))
	}
}

func TestGateIsDeterministic(t *testing.T) {
	b := goodBaseline(t)
	r := rand.New(rand.NewPCG(1, 1))
	var want string
	for round := range 4 {
		queries, entries := goodQueries(), goodEntries()
		queries[0], entries[0] = fixture.Query("q1", labels{"s:a": 2, "s:aa": 1}, "s:x"), fixture.Entry("a1", contracts.CategoryRugPull, clean)
		r.Shuffle(len(queries), func(i, j int) { queries[i], queries[j] = queries[j], queries[i] })
		r.Shuffle(len(entries), func(i, j int) { entries[i], entries[j] = entries[j], entries[i] })
		data, err := contracts.Encode("gate", judged(t, queries, entries, b))
		if err != nil {
			t.Fatal(err)
		}
		if round > 0 && string(data) != want {
			t.Fatalf("round %d differs:\n%s\n%s", round, data, want)
		}
		want = string(data)
	}
}

func TestDescribeCutsLongLists(t *testing.T) {
	g := contracts.Gate{Baseline: "b", Checks: []contracts.GateCheck{{Subject: "retrieval", Metric: "mrr", Comparison: ">="}}, Counts: map[string]int{"regressed": 30}}
	for i := range 30 {
		id := fmt.Sprintf("q%02d", i)
		g.Checks[0].Changed = append(g.Checks[0].Changed, id)
		g.Changes = append(g.Changes, contracts.Change{Subject: "retrieval", ID: id, State: contracts.ChangeRegressed})
	}
	lines := Describe(g)
	if len(lines) != 14 || !strings.HasSuffix(lines[1], "q04 and 25 more") || lines[13] != "  and 20 more for the worse" {
		t.Errorf("got %s", strings.Join(lines, "\n"))
	}
}
