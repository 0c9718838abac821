package metrics

import (
	"regexp"
	"slices"
	"testing"

	"github.com/touchstone-eval/touchstone/internal/testing/docstable"
)

func TestRankingIsDeclaredWhole(t *testing.T) {
	name := regexp.MustCompile(`^[a-z][a-z0-9_]*$`)
	perfect := EvaluateTopic([]string{"a", "b"}, map[string]int{"a": 2, "b": 1}, 1)
	nothing := EvaluateTopic(nil, map[string]int{"a": 2}, 1)
	var names, labels []string
	for _, m := range Ranking() {
		if !name.MatchString(m.Name) || len(m.Name) > 64 {
			t.Errorf("%q is no name that the schemas allow", m.Name)
		}
		if m.Label == "" || m.Formula == "" || m.Source == "" || m.Compute == nil || m.Shown&inReports == 0 {
			t.Errorf("%s: something is missing: %+v", m.Name, m)
			continue
		}
		if got := m.Compute(nothing); got != m.Worst() {
			t.Errorf("%s: an empty list has %v, and the worst value is %v", m.Name, got, m.Worst())
		}
		if got := m.Compute(perfect); Gain(m.Name, m.Worst(), got) <= 0 || got < 0 || got > 1 {
			t.Errorf("%s: a perfect list has %v, and the worst value is %v", m.Name, got, m.Worst())
		}
		names, labels = append(names, m.Name), append(labels, m.Label)
	}
	slices.Sort(names)
	slices.Sort(labels)
	if len(slices.Compact(slices.Clone(names))) != len(names) || len(slices.Compact(slices.Clone(labels))) != len(labels) {
		t.Errorf("a name or a label occurs twice: %v, %v", names, labels)
	}
	if _, ok := RankingByName("recall_at_7"); ok {
		t.Error("there is a metric recall_at_7")
	}
	if Gain("no metric", .25, .5) != .25 {
		t.Error("a metric that is not declared has no direction")
	}
}

func TestDocsListTheMetrics(t *testing.T) {
	rows := [][]string{{"name", "label", "trec_eval", "formula", "better", "first baseline", "source"}}
	for _, m := range Ranking() {
		trec, gated := "", ""
		if m.TREC != "" {
			trec = "`" + m.TREC + "`"
		}
		if m.Gated {
			gated = "judged"
		}
		rows = append(rows, []string{"`" + m.Name + "`", m.Label, trec, m.Formula, better(m.LowerIsBetter), gated, m.Source})
	}
	docstable.Check(t, "../docs/reference/metrics.md", "ranking", rows)
}

func TestDocsListTheRates(t *testing.T) {
	rows := [][]string{{"name", "label", "formula", "better", "interval", "source"}}
	for _, r := range DetectionRates() {
		interval := ""
		if r.Interval {
			interval = "Wilson"
		}
		rows = append(rows, []string{"`" + r.Name + "`", r.Label, r.Formula, better(r.LowerIsBetter), interval, r.Source})
	}
	docstable.Check(t, "../docs/reference/metrics.md", "detection", rows)
}

func TestDocsListTheSelectionRates(t *testing.T) {
	rows := [][]string{{"name", "label", "formula", "better", "threshold"}}
	for _, r := range SelectionRates() {
		threshold := ""
		if r.Threshold != "" {
			threshold = "`" + r.Threshold + "`"
		}
		rows = append(rows, []string{"`" + r.Name + "`", r.Label, r.Formula, better(r.LowerIsBetter), threshold})
	}
	docstable.Check(t, "../docs/reference/metrics.md", "selection", rows)
}

func better(lower bool) string {
	if lower {
		return "lower"
	}
	return "higher"
}
