package gate

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/metrics"
	"github.com/touchstone-eval/touchstone/stages/internal/fixture"
)

// many are n queries; the first lost have their tool nowhere.
func many(n, lost int) []contracts.QueryResult {
	return found(n, n, lost)
}

// found are n queries, of which the first hits have their tool first, without the
// first lost of them.
func found(n, hits, lost int) []contracts.QueryResult {
	var list []contracts.QueryResult
	for i := range n {
		tool := fmt.Sprintf("s:tool%04d", i)
		ranked := []contracts.ToolID{tool}
		if i < lost || i >= hits {
			ranked = []contracts.ToolID{"s:other"}
		}
		list = append(list, fixture.Query(fmt.Sprintf("q%04d", i), labels{tool: 2}, ranked...))
	}
	return list
}

// A tool that is lost fails with six queries of 800, a loss of .0075 that the
// tolerance of .03 allows: 2/2^6 is .031. Five have .0625.
func TestSignificantDropFailsBelowTheTolerance(t *testing.T) {
	b := newBaseline(t, aggregated(t, found(800, 80, 0), goodEntries(), nil))
	for _, tt := range []struct {
		lost int
		want bool
	}{{8, false}, {6, false}, {5, true}} {
		g := judged(t, found(800, 80, tt.lost), goodEntries(), b)
		if g.Passed != tt.want {
			t.Errorf("%d lost: passed %v", tt.lost, g.Passed)
		}
		if got := len(failed(g)); !tt.want && got != 7 {
			t.Errorf("%d lost: %d metrics fail, want all of them: %v", tt.lost, got, failed(g))
		}
	}
	g := judged(t, found(800, 80, 8), goodEntries(), b)
	c := checkOf(t, g, Subject, "recall_at_5")
	if c.Passed || c.Comparison != ">=" || math.Abs(c.Bound-.095) > 1e-12 || *c.PValue != 2./256 ||
		c.Verdict != contracts.Regressed || len(c.Changed) != 8 {
		t.Errorf("check %+v", c)
	}
	if want := "significant drop (p 0.008 over all metrics); allowed drop: 0.005 from the baseline's 0.10; it changed by -0.0100"; !strings.HasPrefix(c.Rule, want) {
		t.Errorf("rule %q, want %q", c.Rule, want)
	}
	if lines := strings.Join(Describe(g), "\n"); !strings.Contains(lines, "Recall@5 is 0.090, must be ≥ 0.095") {
		t.Error(lines)
	}
}

// The smallest loss that fails is 5% of the baseline's value, and at least .005.
func TestSmallestSignificantDrop(t *testing.T) {
	b := newBaseline(t, aggregated(t, many(280, 0), goodEntries(), nil))
	for i := range b.Thresholds.Retrieval {
		b.Thresholds.Retrieval[i].Tolerance = .5
	}
	// A metric that is 0 at best may rise by .005 only.
	atBestZero := func(check string) bool {
		m, _ := metrics.RankingByName(strings.TrimPrefix(check, "retrieval "))
		return m.LowerIsBetter
	}
	if g := judged(t, many(280, 14), goodEntries(), b); len(slices.DeleteFunc(failed(g), atBestZero)) > 0 {
		t.Errorf("a significant loss of exactly .05 fails: %v", failed(g))
	}
	if g := judged(t, many(280, 15), goodEntries(), b); len(failed(g)) != len(contracts.MetricNames) {
		t.Errorf("a significant loss of .054 fails %v", failed(g))
	}
	low := newBaseline(t, aggregated(t, found(2000, 100, 0), goodEntries(), nil))
	for lost, want := range map[int]bool{10: true, 11: false} { // .005 and .0055
		if g := judged(t, found(2000, 100, lost), goodEntries(), low); g.Passed != want {
			t.Errorf("%d of 2000 lost: passed %v", lost, g.Passed)
		}
	}
}

// A tolerance that a person set fails whatever the test says.
func TestToleranceOfAPersonIsAbsolute(t *testing.T) {
	b := newBaseline(t, aggregated(t, many(280, 0), goodEntries(), nil))
	b.Thresholds.Retrieval[0].Tolerance = .005
	g := judged(t, many(280, 2), goodEntries(), b) // p = .5
	if want := []string{"retrieval recall_at_5"}; !slices.Equal(failed(g), want) {
		t.Errorf("failed %v, want %v", failed(g), want)
	}
	if c := checkOf(t, g, Subject, "recall_at_5"); c.Comparison != ">=" || c.Bound != .995 || c.PValue != nil {
		t.Errorf("check %+v", c)
	}
}

// Recall@10 has no threshold and is judged by the same test.
func TestMetricWithoutToleranceIsJudged(t *testing.T) {
	before, after := many(280, 0), many(280, 0)
	for i := range 20 { // the tool falls from rank 7 to nowhere
		tool := after[i].Labels[0].ToolID
		others := []contracts.ToolID{"s:1", "s:2", "s:3", "s:4", "s:5", "s:6"}
		before[i] = fixture.Query(after[i].ID, labels{tool: 2}, append(slices.Clone(others), tool)...)
		after[i] = fixture.Query(after[i].ID, labels{tool: 2}, others...)
	}
	b := newBaseline(t, aggregated(t, before, goodEntries(), nil))
	g := judged(t, after, goodEntries(), b)
	if want := []string{"retrieval recall_at_10"}; !slices.Equal(failed(g), want) {
		t.Errorf("failed %v, want %v", failed(g), want)
	}
}

// An unchanged proxy is not inferior, and many small losses may be.
func TestNonInferiorityUsesTheScoreBound(t *testing.T) {
	b := newBaseline(t, aggregated(t, many(280, 0), goodEntries(), nil))
	b.Thresholds.Retrieval = []contracts.MetricThreshold{{Metric: "recall_at_5", Tolerance: .03, NonInferiority: true}}
	for _, tt := range []struct {
		lost int
		want bool
	}{{0, true}, {2, true}, {4, false}} { // the bound of 4 is about 10.6 of 280, .038
		if g := judged(t, many(280, tt.lost), goodEntries(), b); g.Passed != tt.want {
			t.Errorf("%d lost: passed %v, %+v", tt.lost, g.Passed, checkOf(t, g, Subject, "recall_at_5"))
		}
	}
}

func TestNoisyProxyIsWarned(t *testing.T) {
	agg := aggregated(t, many(280, 0), goodEntries(), nil)
	b := newBaseline(t, agg)
	agg = aggregated(t, many(280, 0), goodEntries(), &b)
	agg.Retrieval.Runs, b.RunsAveraged = 3, 3
	for i := range agg.Retrieval.Metrics {
		// The standard error of the change is sqrt(2) times as large.
		agg.Retrieval.Metrics[i].Noise = .0085
	}
	g, _, err := judge(t, agg, b)
	if err != nil {
		t.Fatal(err)
	}
	if !g.Passed || len(g.Warnings) != 0 {
		t.Errorf("a tolerance of 2.5 standard errors is warned: %v", g.Warnings)
	}
	for i := range agg.Retrieval.Metrics {
		agg.Retrieval.Metrics[i].Noise = .0095
	}
	g, log, err := judge(t, agg, b)
	if err != nil {
		t.Fatal(err)
	}
	// 2·(2.4·.0095·sqrt(3)/.03)² = 3.5 runs, and 2.4·.0095·sqrt(2) = .0322.
	if want := "standard error of 0.0134; the tolerance of 0.03 is only 2.2 standard errors, so chance alone may exceed it: measure at least 4 runs, here and for the baseline, or set a tolerance of at least 0.033"; !g.Passed || len(g.Warnings) != 3 || !strings.Contains(log, want) {
		t.Errorf("warnings %q", g.Warnings)
	}
}
