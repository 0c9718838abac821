package gate

import (
	"fmt"
	"strings"
	"testing"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/stages/internal/fixture"
)

// many are n queries; the first lost have their tool nowhere.
func many(n, lost int) []contracts.QueryResult {
	var list []contracts.QueryResult
	for i := range n {
		tool := fmt.Sprintf("s:tool%03d", i)
		found := []contracts.ToolID{tool}
		if i < lost {
			found = []contracts.ToolID{"s:other"}
		}
		list = append(list, fixture.Query(fmt.Sprintf("q%03d", i), labels{tool: 2}, found...))
	}
	return list
}

// Eight of 280 queries lost and none won is a drop of .0286, which the tolerance
// of .03 allows, with p = 2/2^8.
func TestSignificantDropFailsBelowTheTolerance(t *testing.T) {
	b := newBaseline(t, aggregated(t, many(280, 0), goodEntries(), nil))
	for _, tt := range []struct {
		lost int
		want bool
	}{{8, false}, {7, false}, {6, true}} { // 2/2^6 is .031, and .094 as one of three
		g := judged(t, many(280, tt.lost), goodEntries(), b)
		if g.Passed != tt.want {
			t.Errorf("%d lost: passed %v", tt.lost, g.Passed)
		}
	}
	g := judged(t, many(280, 8), goodEntries(), b)
	c := checkOf(t, g, Subject, "recall_at_5")
	if c.Passed || c.Comparison != ">" || c.Bound != .99 || c.Verdict != contracts.Regressed || len(c.Moved) != 8 {
		t.Errorf("check %+v", c)
	}
	if want := "it is significantly worse (p 0.008), so it must be less than 0.01 below the baseline's 1.00, whatever the tolerance; it changed by -0.0286"; !strings.HasPrefix(c.Rule, want) {
		t.Errorf("rule %q, want %q", c.Rule, want)
	}
	if lines := strings.Join(Describe(g), "\n"); !strings.Contains(lines, "Recall@5 is 0.971, must be > 0.990") {
		t.Error(lines)
	}
}

// A drop of exactly .01 fails if it is significant; a smaller one passes.
func TestSmallestSignificantDrop(t *testing.T) {
	b := newBaseline(t, aggregated(t, many(800, 0), goodEntries(), nil))
	if g := judged(t, many(800, 8), goodEntries(), b); g.Passed {
		t.Error("a significant drop of .01 passes")
	}
	if g := judged(t, many(800, 7), goodEntries(), b); !g.Passed {
		t.Errorf("a significant drop of .00875 fails: %v", failed(g))
	}
	// A tolerance below .01 is stricter.
	b.Thresholds.Retrieval[0].Tolerance = .005
	g := judged(t, many(800, 7), goodEntries(), b)
	if c := checkOf(t, g, Subject, "recall_at_5"); c.Passed || c.Comparison != ">=" || c.Bound != .995 {
		t.Errorf("check %+v", c)
	}
}

// A metric without a threshold does not make the judged ones less sensitive.
func TestHolmCoversJudgedMetricsOnly(t *testing.T) {
	b := newBaseline(t, aggregated(t, many(280, 0), goodEntries(), nil))
	b.Thresholds.Retrieval = b.Thresholds.Retrieval[:1]
	if g := judged(t, many(280, 6), goodEntries(), b); g.Passed {
		t.Error("p = .031 as the only test passes")
	}
	if g := judged(t, many(280, 5), goodEntries(), b); !g.Passed {
		t.Errorf("p = .0625 fails: %v", failed(g))
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
	if want := "standard error of 0.0134; the tolerance of 0.03 is only 2.2 of them and may be exceeded by chance: measure at least 4 runs, here and for the baseline, or set a tolerance of at least 0.033"; !g.Passed || len(g.Warnings) != 3 || !strings.Contains(log, want) {
		t.Errorf("warnings %q", g.Warnings)
	}
}
