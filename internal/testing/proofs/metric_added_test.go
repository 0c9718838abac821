package proofs

import (
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/testing/level"
)

// addedMetrics are two rows for the table in metrics/ranking.go: one metric for which
// higher is better, and one for which lower is better.
const addedMetrics = `	{
		Name: "precision_at_5", Label: "Precision@5", TREC: "P_5", Shown: inReports | InSummary, Gated: true,
		Compute: func(t Topic) float64 { return t.Precision(5) },
		Formula: "relevant tools among the first 5, over 5", Source: trecEval,
	},
	{
		Name: "miss_at_5", Label: "Miss@5", Shown: inReports, LowerIsBetter: true,
		Compute: func(t Topic) float64 { return 1 - t.Success(5) },
		Formula: "1 if no relevant tool is among the first 5", Source: "made up for a test",
	},
`

// precisionAt5 computes the added metric from the ranked lists of a report.
func precisionAt5(r contracts.Report) float64 {
	sum := 0.0
	for _, q := range r.Aggregate.Retrieval.PerQuery {
		found := 0
		for _, tool := range q.Ranked[:min(5, len(q.Ranked))] {
			if slices.ContainsFunc(q.Labels, func(l contracts.Label) bool { return l.ToolID == tool.ToolID && l.Relevance > 0 }) {
				found++
			}
		}
		sum += float64(found) / 5
	}
	return sum / float64(len(r.Aggregate.Retrieval.PerQuery))
}

// checkOf returns the check of a ranking metric, or nil if the gate does not check it.
func checkOf(g contracts.Gate, metric string) *contracts.GateCheck {
	for i, c := range g.Checks {
		if c.Subject == "retrieval" && c.Metric == metric {
			return &g.Checks[i]
		}
	}
	return nil
}

// wantNewMetrics runs the gate against a baseline without the added metrics,
// looks for them in each report, and returns the mean of precision_at_5.
func wantNewMetrics(b *workbench) float64 {
	t := b.t
	t.Helper()
	reports := func(name string) string { return filepath.Join(b.dir, "reports", name) }
	text := func(name string) string {
		t.Helper()
		data, err := os.ReadFile(reports(name))
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	first := b.want(0, "gate")
	for _, name := range []string{"precision_at_5", "miss_at_5"} {
		if want := "retrieval " + name + " is new: not in the baseline, not judged"; !strings.Contains(first.stdout+first.stderr, want) {
			t.Errorf("the gate does not print %q:\n%s%s", want, first.stdout, first.stderr)
		}
	}
	report := read[contracts.Report](t, reports("report.json"))
	// The detector keywords is not judged either.
	if n := len(report.Gate.Unjudged); n != 3 || checkOf(report.Gate, "precision_at_5") != nil {
		t.Errorf("%d unjudged, want 3: %+v", n, report.Gate)
	}
	var mean float64
	for _, m := range report.Aggregate.Retrieval.Metrics {
		if m.Metric == "precision_at_5" {
			mean = m.Mean
		}
	}
	if want := precisionAt5(report); mean == 0 || math.Abs(mean-want) > 1e-9 {
		t.Errorf("precision_at_5 is %v, and the ranked lists give %v", mean, want)
	}
	for name, wanted := range map[string][]string{
		"report.md":       {"Precision@5", "Miss@5", "| new |"},
		"report.html":     {">Precision@5</", ">Miss@5</", `"MAP","Precision@5","Miss@5"]`, `id="unjudged"`},
		"junit.xml":       {"Precision@5", "<skipped"},
		"annotations.txt": {"Precision@5"},
	} {
		for _, want := range wanted {
			if !strings.Contains(text(name), want) {
				t.Errorf("%s does not have %s", name, want)
			}
		}
	}
	return mean
}

// A metric that is declared in the table is in every report. A baseline without it can be
// read, and an update keeps the thresholds that a person has set.
func TestAMetricIsAddedInOnePlace(t *testing.T) {
	level.Thorough(t, "it compiles the program with other metrics and runs the pipeline six times")
	b := extended(t, t.TempDir())
	path := filepath.Join(b.dir, defaultBaseline)
	reports := func(name string) string { return filepath.Join(b.dir, "reports", name) }
	change(b, defaultBaseline, func(base *contracts.Baseline) { base.Thresholds.Detectors[0].HardNegativeFPRCeiling = .04 })
	thresholds := read[contracts.Baseline](t, path).Thresholds

	// The committed baseline lacks them, so they are reported as new.
	mean := wantNewMetrics(b)

	// An update adds the figures, and only keeps the thresholds of the old file.
	updated := b.want(0, "baseline", "update")
	if !strings.Contains(updated.stderr, `add {"metric": "precision_at_5", "tolerance": 0, "derived": 0}`) || strings.Contains(updated.stderr, "miss_at_5 has no threshold") {
		t.Errorf("the update does not say what is not judged:\n%s", updated.stderr)
	}
	base := read[contracts.Baseline](t, path)
	if !reflect.DeepEqual(base.Thresholds, thresholds) {
		t.Errorf("thresholds %+v became %+v", thresholds, base.Thresholds)
	}
	if base.Metrics["precision_at_5"] != mean || len(base.PerQuery[0].Metrics) != 9 {
		t.Errorf("the baseline has %v", base.Metrics)
	}

	// With thresholds, the gate checks them, each in its direction.
	change(b, defaultBaseline, func(base *contracts.Baseline) {
		base.Thresholds.Retrieval = append(base.Thresholds.Retrieval,
			contracts.MetricThreshold{Metric: "precision_at_5", Tolerance: .01}, contracts.MetricThreshold{Metric: "miss_at_5", Tolerance: .01})
	})
	b.want(0, "gate")
	report := read[contracts.Report](t, reports("report.json"))
	if c := checkOf(report.Gate, "precision_at_5"); c == nil || c.Comparison != ">=" || slices.ContainsFunc(report.Gate.Unjudged, func(u contracts.UnjudgedMetric) bool { return u.State != contracts.Unjudged }) {
		t.Errorf("precision_at_5: %+v", c)
	}
	b.want(exitGateFailed, "gate", "--var", "degrade=drop-descriptions")
	report = read[contracts.Report](t, reports("report.json"))
	if c := checkOf(report.Gate, "miss_at_5"); c == nil || c.Comparison != "<=" || c.Passed || c.Verdict != contracts.Regressed || len(c.Changed) == 0 {
		t.Errorf("miss_at_5: %+v", c)
	}

	// A first baseline has thresholds for the metrics that are declared as gated.
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	b.want(0, "baseline", "update")
	judged := []string{}
	for _, threshold := range read[contracts.Baseline](t, path).Thresholds.Retrieval {
		judged = append(judged, threshold.Metric)
	}
	if want := []string{"recall_at_5", "mrr", "ndcg_at_10", "precision_at_5"}; !slices.Equal(judged, want) {
		t.Errorf("a first baseline judges %v, want %v", judged, want)
	}
}

// A baseline may contain a metric that is no longer measured, or figures that cannot be
// read. Only its thresholds matter.
func TestABaselineOfOtherMetricsIsRead(t *testing.T) {
	b := newBench(t, shared(t))
	path := filepath.Join(b.dir, defaultBaseline)
	thresholds := read[contracts.Baseline](t, path).Thresholds
	change(b, defaultBaseline, func(base *contracts.Baseline) {
		base.Metrics["precision_at_5"] = .25
		for i := range base.PerQuery {
			base.PerQuery[i].Metrics["precision_at_5"] = .25
		}
		base.Thresholds.Retrieval = append(base.Thresholds.Retrieval, contracts.MetricThreshold{Metric: "precision_at_5", Tolerance: .01})
	})

	// A threshold without a metric is an error.
	if r := b.want(exitStageFailed, "gate"); !strings.Contains(r.stderr, "precision_at_5 has a threshold but is no longer measured; remove its threshold") {
		t.Errorf("got %s", r.stderr)
	}
	change(b, defaultBaseline, func(base *contracts.Baseline) { base.Thresholds = thresholds })
	if r := b.want(0, "gate"); !strings.Contains(r.stdout+r.stderr, "retrieval precision_at_5 is removed: no longer measured, not judged") {
		t.Errorf("got %s%s", r.stdout, r.stderr)
	}

	// Figures that cannot be read stop the gate, but not the update.
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	broken := strings.Replace(string(data), `"proxy": "reference"`, `"proxy": 7, "figures_of_old": []`, 1)
	if err := os.WriteFile(path, []byte(broken), 0o644); err != nil {
		t.Fatal(err)
	}
	if r := b.want(exitStageFailed, "gate"); !strings.Contains(r.stderr, `unknown field "figures_of_old"`) {
		t.Errorf("got %s", r.stderr)
	}
	if r := b.want(0, "baseline", "update"); !strings.Contains(r.stderr, "the old thresholds are kept") {
		t.Errorf("got %s", r.stderr)
	}
	base := read[contracts.Baseline](t, path)
	if !reflect.DeepEqual(base.Thresholds, thresholds) || len(base.Metrics) != len(contracts.MetricNames) || base.Version != "baseline_v1" {
		t.Errorf("got %+v, %v", base.Thresholds, base.Metrics)
	}
	b.want(0, "gate")

	// A threshold that cannot be read is never replaced.
	broken = strings.Replace(string(data), `"recall_floor":`, `"recal_floor":`, 1)
	if err := os.WriteFile(path, []byte(broken), 0o644); err != nil {
		t.Fatal(err)
	}
	if r := b.want(exitUsage, "baseline", "update"); !strings.Contains(r.stderr, `unknown field "recal_floor"`) || !strings.Contains(r.stderr, "correct them, or move the file away") {
		t.Errorf("got %s", r.stderr)
	}
	if now, err := os.ReadFile(path); err != nil || string(now) != broken {
		t.Errorf("the file was changed: %v", err)
	}
}
