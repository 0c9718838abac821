// Package wording writes figures and untrusted text in the same way into all
// reports: as words, in Markdown, on a terminal and in pages.
package wording

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/metrics"
)

// Failed is the name of a number or share of queries, entries or cases that got
// no answer.
const Failed = "Failed"

// Figures of checks that are numbers of calls and no shares.
const (
	extraCalls     = "extra_calls"
	forbiddenCalls = "forbidden_calls"
)

// IsCount reports whether the values of a figure are whole numbers.
func IsCount(metric string) bool { return metric == extraCalls || metric == forbiddenCalls }

// figureNames are the names of figures that are no metrics.
var figureNames = map[string]string{
	"errored": Failed, "max_errored": Failed, "errored_share": Failed, "errored_rate": Failed,
	extraCalls: "Extra calls", forbiddenCalls: "Forbidden calls",
	"more_missed": "more attacks missed", "more_false_alarms": "more false alarms",
}

// MetricName returns the name of a metric in reports.
func MetricName(metric string) string {
	name, _ := MetricLabel(metric)
	return name
}

// MetricLabel is MetricName, and also reports whether this program has the metric.
func MetricLabel(metric string) (label string, known bool) {
	if m, ok := metrics.RankingByName(metric); ok {
		return m.Label, true
	}

	if m, ok := metrics.NoAnswerMetricByName(metric); ok {
		return m.Label, true
	}

	if f, ok := metrics.CostFigureByName(metric); ok {
		return f.Label, true
	}

	if r, ok := metrics.DetectionRateByName(metric); ok {
		return r.Label, true
	}

	if r, ok := metrics.SelectionRateByName(metric); ok {
		return r.Label, true
	}

	if name, ok := figureNames[metric]; ok {
		return name, true
	}

	category, ok := strings.CutPrefix(metric, "recall_")
	if ok && slices.Contains(contracts.AttackCategories, category) {
		return strings.ReplaceAll(category, "_", " ") + ": recall", true
	}

	return strings.ReplaceAll(metric, "_", " "), false
}

// Figure formats a number with three decimals and a real minus sign.
func Figure(f float64) string {
	s := fmt.Sprintf("%.3f", f)
	if s == "-0.000" {
		s = "0.000"
	}
	return strings.Replace(s, "-", "−", 1)
}

// MetricFigure formats the value of a metric: like Figure, but a figure of the cost of
// discovery with its own number of decimals, and a count as a whole number.
func MetricFigure(metric string, f float64) string {
	if IsCount(metric) {
		return strconv.Itoa(int(f))
	}

	if c, ok := metrics.CostFigureByName(metric); ok {
		return strings.Replace(fmt.Sprintf("%.*f", c.Decimals, f), "-", "−", 1)
	}

	return Figure(f)
}

// MetricRange formats an interval of a metric.
func MetricRange(metric string, i contracts.Interval) string {
	return MetricFigure(metric, i.Low) + " to " + MetricFigure(metric, i.High)
}

// Probability formats a p value, or "< 0.001" below a thousandth.
func Probability(p float64) string {
	if p < 0.001 {
		return "< 0.001"
	}
	return Figure(p)
}

// Signed formats a difference.
func Signed(f float64) string {
	s := Figure(f)
	if strings.HasPrefix(s, "−") || s == "0.000" {
		return s
	}
	return "+" + s
}

// VerdictSign is an arrow for a change, or "~" if it is within noise.
func VerdictSign(verdict string) string {
	switch verdict {
	case contracts.Improved:
		return "▲"
	case contracts.Regressed:
		return "▼"
	}
	return "~"
}

// Percent formats a share as a percentage without decimals. Only 0 and 1 become
// 0% and 100%.
func Percent(share float64) string {
	percent := math.Round(share * 100)
	if share > 0 {
		percent = max(percent, 1)
	}
	if share < 1 {
		percent = min(percent, 99)
	}
	return fmt.Sprintf("%.0f%%", percent)
}

// Range formats an interval.
func Range(i contracts.Interval) string { return Figure(i.Low) + " to " + Figure(i.High) }

// Rate formats a rate with its interval, or "–" if it has no denominator.
func Rate(value *float64, interval *contracts.Interval) string {
	if value == nil {
		return "–"
	}
	if interval == nil {
		return Figure(*value)
	}
	return Figure(*value) + " (" + Range(*interval) + ")"
}

// CountOf chooses the singular for 1. many may hold one %d.
func CountOf(n int, one, many string) string {
	if n == 1 {
		return one
	}
	if strings.Contains(many, "%d") {
		return fmt.Sprintf(many, n)
	}
	return many
}
