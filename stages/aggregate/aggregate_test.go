package aggregate

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/stages/internal/fixture"
)

type labels = map[contracts.ToolID]int

const (
	flagged = contracts.VerdictFlagged
	clean   = contracts.VerdictClean
	errored = contracts.VerdictErrored
)

var entries = []contracts.EntryResult{
	fixture.Entry("a1", contracts.CategoryRugPull, flagged), fixture.Entry("a2", contracts.CategoryShadowing, clean),
	fixture.Entry("b1", contracts.CategoryBenign, clean), fixture.Entry("h1", contracts.CategoryHardNegative, clean),
}

// run aggregates reports, with a baseline if it is not nil.
func run(t testing.TB, retrieval []contracts.RetrievalReport, security []contracts.SecurityReport, baseline *contracts.Baseline) (contracts.Aggregate, error) {
	t.Helper()
	f := fixture.Write(t, retrieval, security)
	return aggregateFiles(t, f, baseline)
}

func aggregateFiles(t testing.TB, f fixture.Files, baseline *contracts.Baseline) (contracts.Aggregate, error) {
	t.Helper()
	opts := Options{Validation: f.Validation, Retrieval: f.Retrieval, Security: f.Security, Out: filepath.Join(f.Dir, "aggregate.json")}
	if baseline != nil {
		opts.Baseline = filepath.Join(f.Dir, "baseline.json")
		fixture.WriteFile(t, opts.Baseline, *baseline)
	}
	if err := Run(context.Background(), opts); err != nil {
		if _, statErr := os.Stat(opts.Out); statErr == nil {
			t.Error("an output was left behind by a run that failed")
		}
		return contracts.Aggregate{}, err
	}
	return fixture.ReadFile[contracts.Aggregate](t, opts.Out), nil
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-12 {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

func metricOf(t *testing.T, agg contracts.Aggregate, name string) contracts.MetricSummary {
	t.Helper()
	for _, m := range agg.Retrieval.Metrics {
		if m.Metric == name {
			return m
		}
	}
	t.Fatalf("no metric %s", name)
	return contracts.MetricSummary{}
}

func TestMeansOverRunsAndQueries(t *testing.T) {
	// q1: reciprocal rank 1 in run 1 and 1/2 in run 2; q2: 1/4 and an error.
	agg, err := run(t, []contracts.RetrievalReport{
		fixture.Retrieval(2, fixture.Errored("q2", labels{"s:b": 1}, "timeout"), fixture.Query("q1", labels{"s:a": 2}, "s:x", "s:a")),
		fixture.Retrieval(1, fixture.Query("q1", labels{"s:a": 2}, "s:a"), fixture.Query("q2", labels{"s:b": 1}, "s:1", "s:2", "s:3", "s:b")),
	}, []contracts.SecurityReport{fixture.Security("scanner", 1, entries...)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	r := agg.Retrieval
	if r.Runs != 2 || r.Queries != 2 || r.Errored != 1 {
		t.Errorf("%d runs, %d queries, %d errored", r.Runs, r.Queries, r.Errored)
	}
	mrr := metricOf(t, agg, "mrr")
	near(t, "mean", mrr.Mean, (.75+.125)/2)
	near(t, "run 1", mrr.PerRun[0], .625)
	near(t, "run 2", mrr.PerRun[1], .25)
	near(t, "spread", mrr.Spread, .375/math.Sqrt2)
	if mrr.Interval.Low > mrr.Mean || mrr.Interval.High < mrr.Mean {
		t.Errorf("interval %v misses the mean", mrr.Interval)
	}
	q2 := r.PerQuery[1]
	if q2.ID != "q2" || q2.ErroredRuns != 1 || q2.Error != "timeout" || len(q2.Ranked) != 4 {
		t.Errorf("q2 is %+v", q2)
	}
	near(t, "q2's reciprocal rank", q2.Metrics["mrr"], .125)
	if agg.Baseline.Comparable || !strings.Contains(agg.Baseline.Reason, "touchstone baseline update") || mrr.Comparison != nil {
		t.Errorf("without a baseline: %+v, %+v", agg.Baseline, mrr.Comparison)
	}
	if agg.Data != fixture.Data || agg.Proxy != "reference" || agg.SearchPath != "mcp" {
		t.Errorf("identity %+v", agg)
	}
}

// The anomalies of answers are kept, once for each query.
func TestAnomalies(t *testing.T) {
	strange := fixture.Query("q1", labels{"s:a": 2}, "s:a")
	strange.Anomalies = []string{"dropped, listed twice: \"s:a\""}
	right := fixture.Query("q1", labels{"s:a": 2}, "s:a")
	other := fixture.Query("q2", labels{"s:b": 1}, "s:b")
	agg, err := run(t, []contracts.RetrievalReport{fixture.Retrieval(1, right, other), fixture.Retrieval(2, strange, other)},
		[]contracts.SecurityReport{fixture.Security("scanner", 1, entries...)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	r := agg.Retrieval
	if r.Anomalous != 1 || r.Errored != 0 || !slices.Equal(r.PerQuery[0].Anomalies, strange.Anomalies) || r.PerQuery[1].Anomalies != nil {
		t.Errorf("%d anomalous, %d errored: %q and %q", r.Anomalous, r.Errored, r.PerQuery[0].Anomalies, r.PerQuery[1].Anomalies)
	}
}

// Unanswerable queries change no ranking figure, and have their own.
func TestNoAnswer(t *testing.T) {
	q1 := fixture.Query("q1", labels{"s:a": 2}, "s:a", "s:x")
	judged := 2
	q1.Ranked[0].Relevance, q1.Ranked[0].Score = &judged, 3
	q2 := fixture.Query("q2", labels{"s:b": 1})
	none := func(id string, score float64) contracts.UnanswerableResult {
		r := contracts.UnanswerableResult{ID: id, Query: "impossible " + id, Language: "de"}
		if score > 0 {
			r.Ranked = []contracts.RankedTool{{Rank: 1, ToolID: "s:y", Score: score}}
		}
		return r
	}
	failed := none("n3", 0)
	failed.Error = "timeout"
	with := func(run int, unanswerable ...contracts.UnanswerableResult) contracts.RetrievalReport {
		r := fixture.Retrieval(run, q1, q2)
		r.Unanswerable, r.TestShare = unanswerable, 0.5
		return r
	}
	security := []contracts.SecurityReport{fixture.Security("scanner", 1, entries...)}
	agg, err := run(t, []contracts.RetrievalReport{with(1, none("n2", 5), none("n1", 0), failed), with(2, none("n1", 2), none("n2", 5), none("n3", 0))}, security, nil)
	if err != nil {
		t.Fatal(err)
	}
	plain, err := run(t, []contracts.RetrievalReport{with(1), with(2)}, security, nil)
	if err != nil {
		t.Fatal(err)
	}
	if plain.Retrieval.NoAnswer != nil {
		t.Error("figures of no queries")
	}
	if diff := cmp.Diff(plain.Retrieval.Metrics, agg.Retrieval.Metrics); diff != "" || agg.Retrieval.Queries != 2 {
		t.Errorf("ranking figures differ: %s", diff)
	}
	near(t, "judged@10", *agg.Retrieval.JudgedAt10, 0.5)
	near(t, "test share", agg.Retrieval.TestShare, 0.5)
	n := agg.Retrieval.NoAnswer
	if n.Queries != 3 || n.Errored != 1 || len(n.Metrics) != 2 {
		t.Fatalf("%+v", n)
	}
	// Run 1: one of three is empty, one errored. Run 2: one of three is empty.
	near(t, "empty", n.Metrics[0].Mean, 1./3)
	// The best scores are 3 and none with a right tool. Run 1: none and 5, so the
	// pairs give 1, 0, 1/2, 0. Run 2: 2, 5 and none: 1, 0, 1, 0, 0, 1/2.
	near(t, "AUC of run 1", n.Metrics[1].PerRun[0], 1.5/4)
	near(t, "AUC of run 2", n.Metrics[1].PerRun[1], 2.5/6)
	want := []contracts.NoAnswerQuery{
		{ID: "n1", Query: "impossible n1", Language: "de", Ranked: []contracts.RankedTool{}, EmptyRuns: 1},
		{ID: "n2", Query: "impossible n2", Language: "de", Ranked: none("n2", 5).Ranked},
		{ID: "n3", Query: "impossible n3", Language: "de", Ranked: []contracts.RankedTool{}, EmptyRuns: 1, ErroredRuns: 1, Error: "timeout"},
	}
	if diff := cmp.Diff(want, n.PerQuery); diff != "" {
		t.Error(diff)
	}
	for name, reports := range map[string][]contracts.RetrievalReport{
		"query n2 is only in":   {with(1, none("n1", 0)), with(2, none("n1", 0), none("n2", 0))},
		"query n1 occurs twice": {with(1, none("n1", 0), none("n1", 0))},
		"query q1 occurs twice": {with(1, none("q1", 0))},
	} {
		if _, err := run(t, reports, security, nil); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%v, want %s", err, name)
		}
	}
}

func TestRefusals(t *testing.T) {
	q := fixture.Query("q1", labels{"s:a": 1}, "s:a")
	good := fixture.Retrieval(1, q)
	goodSecurity := fixture.Security("scanner", 1, entries...)
	with := func(change func(*contracts.RetrievalReport)) contracts.RetrievalReport {
		r := fixture.Retrieval(2, q)
		change(&r)
		return r
	}
	withSecurity := func(change func(*contracts.SecurityReport)) contracts.SecurityReport {
		s := fixture.Security("scanner", 2, slices.Clone(entries)...)
		change(&s)
		return s
	}
	type reports = []contracts.RetrievalReport
	type scans = []contracts.SecurityReport
	wrong := q
	wrong.Error = "no answer"
	tests := []struct {
		name      string
		retrieval reports
		security  scans
		want      string
	}{
		{"no retrieval", nil, scans{goodSecurity}, "score-retrieval"},
		{"no security", reports{good}, nil, "score-security"},
		{"other corpus", reports{good, with(func(r *contracts.RetrievalReport) { r.CorpusSHA256 = fixture.SHA("f") })}, scans{goodSecurity}, "another corpus (sha256 ffffffffffff)"},
		{"other golden set", reports{with(func(r *contracts.RetrievalReport) { r.GoldenSHA256 = fixture.SHA("f") })}, scans{goodSecurity}, "another golden set"},
		{"other security corpus", reports{good}, scans{goodSecurity, withSecurity(func(s *contracts.SecurityReport) { s.SecuritySHA256 = fixture.SHA("f") })}, "another security corpus"},
		{"other proxy", reports{good, with(func(r *contracts.RetrievalReport) { r.Proxy = "other" })}, scans{goodSecurity}, "differ in their proxy (reference, other)"},
		{"other build", reports{good, with(func(r *contracts.RetrievalReport) { r.ProxyIdentity = "other" })}, scans{goodSecurity}, "proxy identity"},
		{"other search path", reports{good, with(func(r *contracts.RetrievalReport) { r.SearchPath = "rest" })}, scans{goodSecurity}, "search path"},
		{"run twice", reports{good, fixture.Retrieval(1, q)}, scans{goodSecurity}, "both reports of run 1; keep one"},
		{"scan twice", reports{good}, scans{goodSecurity, goodSecurity}, "both reports of run 1 of detector scanner"},
		{"query missing", reports{good, fixture.Retrieval(2, q, fixture.Query("q2", labels{"s:a": 1}))}, scans{goodSecurity}, "query q2 is only in"},
		{"query twice", reports{fixture.Retrieval(1, q, q)}, scans{goodSecurity}, "query q1 occurs twice"},
		{"entry missing", reports{good}, scans{goodSecurity, fixture.Security("other", 1, entries[1:]...)}, "entry a1 is only in"},
		{"entry twice", reports{good}, scans{fixture.Security("scanner", 1, entries[0], entries[0])}, "entry a1 occurs twice"},
		{"means that do not follow", reports{with(func(r *contracts.RetrievalReport) { r.Metrics["mrr"] = .5 })}, scans{goodSecurity}, "mrr is given as 0.500000, but the mean of its queries is 1.000000"},
		{"an error that scores", reports{fixture.Retrieval(1, wrong)}, scans{goodSecurity}, "query q1 failed, but its recall_at_1 is 1.000000"},
		{"counts that do not follow", reports{good}, scans{withSecurity(func(s *contracts.SecurityReport) { s.Detector.TP++ })}, "do not follow from the entries"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := run(t, tt.retrieval, tt.security, nil); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
	t.Run("no dataset", func(t *testing.T) {
		f := fixture.Write(t, reports{good}, scans{goodSecurity})
		v := fixture.Validation()
		v.Datasets = v.Datasets[:2]
		fixture.WriteFile(t, f.Validation, v)
		if _, err := aggregateFiles(t, f, nil); err == nil || !strings.Contains(err.Error(), "no security corpus was validated") {
			t.Errorf("got %v", err)
		}
	})
}

// baselineOf makes a baseline from an aggregate by hand; gate.NewBaseline is
// tested elsewhere.
func baselineOf(agg contracts.Aggregate) *contracts.Baseline {
	b := &contracts.Baseline{
		Version: "baseline_v1", Data: agg.Data, GeneratedFrom: contracts.GeneratedFrom{Source: "test"}, Proxy: agg.Proxy, RunsAveraged: agg.Retrieval.Runs,
	}
	b.Metrics = make(contracts.RetrievalMetrics)
	for _, m := range agg.Retrieval.Metrics {
		b.Metrics[m.Metric] = m.Mean
	}
	for _, q := range agg.Retrieval.PerQuery {
		b.PerQuery = append(b.PerQuery, contracts.BaselineQuery{ID: q.ID, Metrics: q.Metrics})
	}
	return b
}

// queries makes n queries, each for a tool of its own, whose tool is at the
// given rank (0: not in the list).
func queries(n int, rank func(i int) int) []contracts.QueryResult {
	var list []contracts.QueryResult
	for i := range n {
		tool := fmt.Sprintf("s:tool%03d", i)
		var found []contracts.ToolID
		for r := 1; r < rank(i); r++ {
			found = append(found, fmt.Sprintf("s:other%d", r))
		}
		if rank(i) > 0 {
			found = append(found, tool)
		}
		list = append(list, fixture.Query(fmt.Sprintf("q%03d", i), labels{tool: 2}, found...))
	}
	return list
}

func TestComparison(t *testing.T) {
	security := []contracts.SecurityReport{fixture.Security("scanner", 1, entries...)}
	half := func(i int) int { return 1 + i%2 }
	before, err := run(t, []contracts.RetrievalReport{fixture.Retrieval(1, queries(60, half)...)}, security, nil)
	if err != nil {
		t.Fatal(err)
	}
	baseline := baselineOf(before)
	compare := func(rank func(int) int) contracts.MetricSummary {
		t.Helper()
		agg, err := run(t, []contracts.RetrievalReport{fixture.Retrieval(1, queries(60, rank)...)}, security, baseline)
		if err != nil {
			t.Fatal(err)
		}
		if !agg.Baseline.Comparable || agg.Baseline.Reason != "" || agg.Baseline.Version != "baseline_v1" {
			t.Fatalf("baseline %+v", agg.Baseline)
		}
		return metricOf(t, agg, "mrr")
	}

	same := compare(half).Comparison
	if same.Delta != 0 || same.PValue != 1 || same.Verdict != contracts.WithinNoise || same.DeltaInterval != (contracts.Interval{}) {
		t.Errorf("unchanged: %+v", same)
	}
	if same.MinDetectable != nil {
		t.Errorf("unchanged, and detectable is %v", *same.MinDetectable)
	}

	worse := compare(func(i int) int { return 2 + i%2 }).Comparison
	// 1 becomes 1/2 and 1/2 becomes 1/3.
	near(t, "delta", worse.Delta, (-.5+-1./6)/2)
	if worse.Verdict != contracts.Regressed || worse.PValue != 1e-4 || worse.DeltaInterval.High >= 0 {
		t.Errorf("all worse: %+v", worse)
	}
	if better := compare(func(int) int { return 1 }).Comparison; better.Verdict != contracts.Improved || better.DeltaInterval.Low <= 0 {
		t.Errorf("half better: %+v", better)
	}
	// One query that leaves the list is a drop, but not a significant one.
	one := compare(func(i int) int {
		if i == 0 {
			return 0
		}
		return half(i)
	}).Comparison
	near(t, "delta", one.Delta, -1./60)
	if one.Verdict != contracts.WithinNoise || one.PValue != 1 {
		t.Errorf("one lost: %+v", one)
	}
}

func TestQueriesForOneToolAreOneGroup(t *testing.T) {
	// Ten queries for one tool that all fail are one observation, not ten.
	security := []contracts.SecurityReport{fixture.Security("scanner", 1, entries...)}
	report := func(found ...contracts.ToolID) []contracts.RetrievalReport {
		var list []contracts.QueryResult
		for i := range 10 {
			list = append(list, fixture.Query(fmt.Sprintf("q%d", i), labels{"s:a": 2, "s:b": 1}, found...))
		}
		return []contracts.RetrievalReport{fixture.Retrieval(1, append(list, fixture.Query("r", labels{"s:c": 2}, "s:c"))...)}
	}
	before, err := run(t, report("s:a"), security, nil)
	if err != nil {
		t.Fatal(err)
	}
	agg, err := run(t, report("s:x"), security, baselineOf(before))
	if err != nil {
		t.Fatal(err)
	}
	if c := metricOf(t, agg, "mrr").Comparison; c.PValue != 1 || c.Verdict != contracts.WithinNoise {
		t.Errorf("got %+v", c)
	}
}

func TestBaselineOnOtherData(t *testing.T) {
	retrieval := []contracts.RetrievalReport{fixture.Retrieval(1, fixture.Query("q1", labels{"s:a": 1}, "s:a"))}
	security := []contracts.SecurityReport{fixture.Security("scanner", 1, entries...)}
	agg, err := run(t, retrieval, security, nil)
	if err != nil {
		t.Fatal(err)
	}
	for want, change := range map[string]func(*contracts.Baseline){
		"made on other data: the golden set (golden_v1, sha256 bbbbbbbbbbbb) differs from the baseline's (golden_v0, ffffffffffff)": func(b *contracts.Baseline) { b.Data.GoldenVersion, b.Data.GoldenSHA256 = "golden_v0", fixture.SHA("f") },
		"the corpus (corpus_v1":        func(b *contracts.Baseline) { b.Data.CorpusSHA256 = fixture.SHA("f") },
		"the baseline has no query q1": func(b *contracts.Baseline) { b.PerQuery[0].ID = "q9" },
		"its mrr is given as 0.500000, but the mean of its 1 queries is 1.000000": func(b *contracts.Baseline) { b.Metrics["mrr"] = 0.5 },
		"2 queries and the golden set has 1, although": func(b *contracts.Baseline) {
			b.PerQuery = append(b.PerQuery, contracts.BaselineQuery{ID: "q9", Metrics: b.Metrics})
		},
	} {
		b := baselineOf(agg)
		change(b)
		got, err := run(t, retrieval, security, b)
		if err != nil {
			t.Fatal(err)
		}
		if got.Baseline.Comparable || !strings.Contains(got.Baseline.Reason, want) {
			t.Errorf("got %+v, want %s", got.Baseline, want)
		}
		if metricOf(t, got, "mrr").Comparison != nil {
			t.Errorf("%s: compared nevertheless", want)
		}
	}
}

// A quick run has the golden set of one split, which is compared with the same queries of the baseline. A set
// without splits stays whole.
func TestQuickRunBesideTheBaseline(t *testing.T) {
	for _, share := range []float64{0, .5} {
		all := queries(40, func(int) int { return 2 })
		security := []contracts.SecurityReport{fixture.Security("scanner", 1, entries...)}
		whole, err := run(t, []contracts.RetrievalReport{fixture.Retrieval(1, all...)}, security, nil)
		if err != nil {
			t.Fatal(err)
		}

		baseline := baselineOf(whole)
		baseline.Digests = fixture.Digests(all, entries)
		dev := slices.DeleteFunc(slices.Clone(all),
			func(q contracts.QueryResult) bool { return contracts.Split(share, q.ID) == contracts.SplitTest })
		report := fixture.Retrieval(1, dev...)
		report.TestShare, report.GoldenSHA256 = share, fixture.SHA("f")
		f := fixture.Write(t, []contracts.RetrievalReport{report}, security)
		v := fixture.Validation()
		v.Split, v.Digests = contracts.SplitDev, fixture.Digests(dev, entries)
		for i := range v.Datasets {
			if v.Datasets[i].Kind == contracts.KindGolden {
				v.Datasets[i].SHA256 = report.GoldenSHA256
			}
		}

		fixture.WriteFile(t, f.Validation, v)
		agg, err := aggregateFiles(t, f, baseline)
		if err != nil {
			t.Fatal(err)
		}

		n := len(dev)
		if got, want := agg.Baseline.Data.Queries, (contracts.Overlap{Common: n, Now: n, Before: n}); !agg.Baseline.Comparable ||
			got != want || n == 0 || share > 0 && n == len(all) {
			t.Errorf("share %v: the common queries are %+v, want %+v; %s", share, got, want, agg.Baseline.Reason)
		}
	}
}

func TestMajorityOfVerdicts(t *testing.T) {
	verdicts := func(run int, list ...string) contracts.SecurityReport {
		return fixture.Security("scanner", run,
			fixture.Entry("a1", contracts.CategoryRugPull, list[0]), fixture.Entry("b1", contracts.CategoryBenign, list[1]),
			fixture.Entry("h1", contracts.CategoryHardNegative, list[2]), fixture.Entry("h2", contracts.CategoryHardNegative, list[3]))
	}
	agg, err := run(t, []contracts.RetrievalReport{fixture.Retrieval(1, fixture.Query("q1", labels{"s:a": 1}, "s:a"))}, []contracts.SecurityReport{
		verdicts(4, clean, clean, flagged, clean),
		verdicts(1, flagged, clean, flagged, errored),
		verdicts(2, flagged, clean, clean, errored),
		verdicts(3, flagged, clean, clean, clean),
		fixture.Security("another", 1, fixture.Entry("a1", contracts.CategoryRugPull, clean), fixture.Entry("b1", contracts.CategoryBenign, clean),
			fixture.Entry("h1", contracts.CategoryHardNegative, clean), fixture.Entry("h2", contracts.CategoryHardNegative, clean)),
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(agg.Detectors) != 2 || agg.Detectors[0].Score.Detector != "another" {
		t.Fatalf("detectors %+v", agg.Detectors)
	}
	d := agg.Detectors[1]
	if d.Runs != 4 || !slices.Equal(d.Unstable, []string{"a1", "h1", "h2"}) {
		t.Errorf("%d runs, unstable %v", d.Runs, d.Unstable)
	}
	var got []string
	for _, e := range d.PerEntry {
		got = append(got, e.ID+" "+e.Verdict)
	}
	if want := []string{"a1 flagged", "b1 clean", "h1 flagged", "h2 errored"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if d.PerEntry[3].Error == "" {
		t.Error("the error of h2 is gone")
	}
	s := d.Score
	if s.TP != 1 || s.FP != 1 || s.TN != 1 || s.FN != 0 || s.Errored != 1 {
		t.Errorf("score %+v", s)
	}
	near(t, "hard-negative FPR", *s.FPRHardNegative, 1)
	// Wilson's interval of 1 in 1 is [1/(1+z²), 1].
	near(t, "lower bound", d.RecallInterval.Low, 1/(1+1.959963984540054*1.959963984540054))
	if d.FPRBenignInterval.Low != 0 || agg.Detectors[0].PrecisionInterval != nil {
		t.Errorf("benign %v, precision of a detector that flags nothing: %v", d.FPRBenignInterval, agg.Detectors[0].PrecisionInterval)
	}
}

// A tie is not a majority. A detector that flags an attack in half of the runs
// gets no credit for it, and an innocent entry that it flags in half of the
// runs is a false alarm.
func TestTiesCountAgainstTheDetector(t *testing.T) {
	verdicts := func(run int, verdict string) contracts.SecurityReport {
		return fixture.Security("scanner", run, fixture.Entry("a1", contracts.CategoryRugPull, verdict), fixture.Entry("b1", contracts.CategoryBenign, verdict))
	}
	agg, err := run(t, []contracts.RetrievalReport{fixture.Retrieval(1, fixture.Query("q1", labels{"s:a": 1}, "s:a"))},
		[]contracts.SecurityReport{verdicts(1, flagged), verdicts(2, clean)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if s := agg.Detectors[0].Score; s.TP != 0 || s.FN != 1 || s.FP != 1 || s.TN != 0 {
		t.Errorf("score %+v", s)
	}
}

// TestOrderChangesNothing permutes queries, entries, runs and files and expects
// the same output, byte for byte.
func TestOrderChangesNothing(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	base := queries(40, func(i int) int { return i % 7 })
	var want []byte
	var baseline *contracts.Baseline
	for round := range 5 {
		var retrieval []contracts.RetrievalReport
		for _, n := range r.Perm(3) {
			list := slices.Clone(queries(40, func(i int) int { return (i + n) % 5 }))
			r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
			retrieval = append(retrieval, fixture.Retrieval(n+1, list...))
		}
		list := slices.Clone(entries)
		r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		security := []contracts.SecurityReport{fixture.Security("scanner", 1, list...), fixture.Security("other", 1, list...)}
		r.Shuffle(2, func(i, j int) { security[i], security[j] = security[j], security[i] })
		if baseline == nil {
			agg, err := run(t, []contracts.RetrievalReport{fixture.Retrieval(1, base...)}, security, nil)
			if err != nil {
				t.Fatal(err)
			}
			baseline = baselineOf(agg)
		}
		f := fixture.Write(t, retrieval, security)
		if _, err := aggregateFiles(t, f, baseline); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join(f.Dir, "aggregate.json"))
		if err != nil {
			t.Fatal(err)
		}
		if round > 0 && string(got) != string(want) {
			t.Fatalf("round %d differs", round)
		}
		want = got
	}
}

func TestCommandPrintsFigures(t *testing.T) {
	f := fixture.Write(t, []contracts.RetrievalReport{fixture.Retrieval(1, fixture.Query("q1", labels{"s:a": 1}, "s:a"))},
		[]contracts.SecurityReport{fixture.Security("scanner", 1, entries...)})
	var out strings.Builder
	cmd := Command()
	cmd.SetOut(&out)
	cmd.SetArgs([]string{"--validation", f.Validation, "--retrieval", f.Retrieval, "--security", f.Security, "--out", filepath.Join(f.Dir, "out", "a.json")})
	if err := cmd.Execute(); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"1 queries, 1 runs of reference over mcp", "recall_at_5  1.0000  [0.2065, 1.0000]", "scanner: 1 of 2 attacks flagged, 0 of 2 benign"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in\n%s", want, out.String())
		}
	}
}

func BenchmarkAggregate10000Queries(b *testing.B) {
	security := []contracts.SecurityReport{fixture.Security("scanner", 1, entries...)}
	list := queries(10000, func(i int) int { return i % 7 })
	f := fixture.Write(b, []contracts.RetrievalReport{fixture.Retrieval(1, list...)}, security)
	agg, err := aggregateFiles(b, f, nil)
	if err != nil {
		b.Fatal(err)
	}
	baseline := baselineOf(agg)
	f = fixture.Write(b, []contracts.RetrievalReport{fixture.Retrieval(1, queries(10000, func(i int) int { return i % 5 })...)}, security)
	for b.Loop() {
		if _, err := aggregateFiles(b, f, baseline); err != nil {
			b.Fatal(err)
		}
	}
}
