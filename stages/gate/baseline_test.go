package gate

import (
	"fmt"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/stages/internal/fixture"
)

func TestNewBaseline(t *testing.T) {
	b := goodBaseline(t)
	if b.Data != fixture.Data || b.RunsAveraged != 1 || b.Metrics["mrr"] != .875 || len(b.PerQuery) != 4 {
		t.Errorf("got %+v", b)
	}
	if q := b.PerQuery[1]; q.ID != "q2" || !slices.Equal(q.Ranked, []contracts.ToolID{"s:x", "s:b", "s:y"}) {
		t.Errorf("query %+v", q)
	}
	d, ok := baselineDetector(b, "scanner")
	if !ok || !slices.Equal(d.Flagged, []string{"a1", "a2", "a3"}) || len(d.Errored) != 0 {
		t.Errorf("detector %+v", d)
	}
	// newBaseline replaced the tolerances that are derived.
	want := contracts.Thresholds{
		Retrieval: []contracts.MetricThreshold{{Metric: "recall_at_5", Tolerance: .03}, {Metric: "mrr", Tolerance: .03}, {Metric: "ndcg_at_10", Tolerance: .03}},
		Detectors: []contracts.DetectorThreshold{{
			Detector: "scanner", FPRCeiling: .02, HardNegativeFPRCeiling: .02, RecallFloor: .73,
			CategoryFloors: []contracts.CategoryFloor{{Category: contracts.CategoryShadowing, RecallFloor: .5}},
		}},
		NotJudged: []string{"keywords"},
	}
	if !reflect.DeepEqual(b.Thresholds, want) {
		t.Errorf("thresholds %+v, want %+v", b.Thresholds, want)
	}
	// The baseline is valid by its contract and survives writing and reading.
	path := filepath.Join(t.TempDir(), "baseline.json")
	fixture.WriteFile(t, path, b)
	if lines := BaselineChanges(ptr(fixture.ReadFile[contracts.Baseline](t, path)), b); lines != nil {
		t.Errorf("changes on the way through a file: %v", lines)
	}
}

func ptr[T any](v T) *T { return &v }

func TestNewBaselineKeepsThresholds(t *testing.T) {
	old := goodBaseline(t)
	old.Version = "baseline_v7"
	old.Thresholds.Retrieval[0].Tolerance = .5
	entries := goodEntries()
	entries[0] = fixture.Entry("a1", contracts.CategoryRugPull, errored)
	b, err := NewBaseline(aggregated(t, goodQueries()[:3], entries, nil), &old)
	if err != nil {
		t.Fatal(err)
	}
	if b.Version != "baseline_v7" || b.Thresholds.Retrieval[0].Tolerance != .5 {
		t.Errorf("got %+v", b)
	}
	if d, _ := baselineDetector(b, "scanner"); !slices.Equal(d.Errored, []string{"a1"}) {
		t.Errorf("detector %+v", d)
	}
}

func TestNewBaselineRefusesErrors(t *testing.T) {
	queries := goodQueries()
	queries[1] = fixture.Errored("q2", labels{"s:b": 2}, "timeout after 30s")
	_, err := NewBaseline(aggregated(t, queries, goodEntries(), nil), nil)
	if err == nil || !strings.Contains(err.Error(), "1 of 4 queries ended in an error") || !strings.Contains(err.Error(), "q2: timeout after 30s") {
		t.Errorf("got %v", err)
	}
	if _, err := NewBaseline(contracts.Aggregate{}, nil); err == nil {
		t.Error("a baseline was made without queries")
	}
}

func TestDefaultThresholdsPassTheirOwnFigures(t *testing.T) {
	entries := goodEntries()
	entries[4] = fixture.Entry("b1", contracts.CategoryBenign, flagged)
	entries[6] = fixture.Entry("h1", contracts.CategoryHardNegative, flagged)
	b, err := NewBaseline(aggregated(t, goodQueries(), entries, nil), nil)
	if err != nil {
		t.Fatal(err)
	}
	if g := judged(t, goodQueries(), entries, b); !g.Passed {
		t.Errorf("failed %v", failed(g))
	}
	if d := b.Thresholds.Detectors[1]; d.Detector != "scanner" || d.FPRCeiling != .65 || d.HardNegativeFPRCeiling != .65 || d.RecallFloor != .6 || d.Reason == "" {
		t.Errorf("thresholds %+v", d)
	}
}

func TestBaselineChanges(t *testing.T) {
	b := goodBaseline(t)
	if lines := BaselineChanges(&b, b); lines != nil {
		t.Errorf("nothing changed: %v", lines)
	}
	first := strings.Join(BaselineChanges(nil, b), "\n")
	for _, want := range []string{"corpus: corpus_v1 (sha256 aaaaaaaaaaaa) (new)", "mrr: 0.8750 (new)", "scanner: 3 of 4 attacks, 0 of 2 hard negatives and 0 of 2 plain benign entries flagged, 0 failed (new)"} {
		if !strings.Contains(first, want) {
			t.Errorf("%q is not in\n%s", want, first)
		}
	}
	queries := goodQueries()
	queries[1] = fixture.Query("q2", labels{"s:b": 2}, "s:b")
	queries[2] = fixture.Query("q3", labels{"s:c": 2}, "s:c", "s:other")
	entries := goodEntries()
	entries[3] = fixture.Entry("a4", contracts.CategoryToolPoisoning, flagged)
	next, err := NewBaseline(aggregated(t, queries, entries, nil), &b)
	if err != nil {
		t.Fatal(err)
	}
	next.Data.GoldenVersion, next.Data.GoldenSHA256 = "golden_v2", fixture.SHA("d")
	got := strings.Join(BaselineChanges(&b, next), "\n")
	for _, want := range []string{
		"golden set: golden_v1 (sha256 bbbbbbbbbbbb) -> golden_v2 (sha256 dddddddddddd)", "mrr: 0.8750 -> 1.0000",
		"queries: 1 with other scores, 1 with the same scores but another list, 0 new, 0 removed", "scanner: 3 of 4 attacks",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
	if strings.Contains(got, "keywords") || strings.Contains(got, "proxy") {
		t.Errorf("unchanged lines in\n%s", got)
	}
	quiet := b
	quiet.PerDetector = slices.Clone(b.PerDetector)
	quiet.PerDetector[0].Flagged = []string{"a1", "a2", "a4"}
	if lines := BaselineChanges(&b, quiet); len(lines) != 1 {
		t.Errorf("got %v", lines)
	}
}

// A detector with the figures of its baseline passes, whatever they are, and so does one whose four
// changed entries cancel. Bounds have two decimals, and the floor of a recall three.
func TestDefaultThresholdsLeaveSlack(t *testing.T) {
	for _, n := range []int{2, 10, 50, 200} {
		for k := 1; k <= n; k++ {
			d := contracts.DetectorSummary{Score: contracts.DetectorScore{Detector: "scanner"}}
			for _, category := range []string{contracts.CategoryRugPull, contracts.CategoryBenign, contracts.CategoryHardNegative} {
				for i := range n {
					verdict := clean
					if i < k {
						verdict = flagged
					}
					d.PerEntry = append(d.PerEntry, contracts.EntrySummary(fixture.Entry(fmt.Sprint(category, i), category, verdict)))
				}
			}
			got := DefaultThresholds(contracts.Aggregate{Detectors: []contracts.DetectorSummary{d}}).Detectors[0]
			rate := float64(k) / float64(n)
			if got.RecallFloor <= 0 || got.RecallFloor > rate || got.FPRCeiling < rate || got.FPRCeiling > 1 ||
				got.HardNegativeFPRCeiling != got.FPRCeiling {
				t.Errorf("%d of %d: %+v", k, n, got)
			}
			if n == 200 && k > 4 && (got.RecallFloor > rate-.01 || got.FPRCeiling < min(1, rate+.01)) {
				t.Errorf("%d of %d: two entries more fail by %+v", k, n, got)
			}
			for _, bound := range []float64{got.RecallFloor * 10, got.FPRCeiling} {
				if math.Abs(bound*100-math.Round(bound*100)) > 1e-9 {
					t.Errorf("%d of %d: %v has more decimals", k, n, bound)
				}
			}
		}
	}
}
