// Package wording writes figures and untrusted text in the same way into all
// reports: as words, in Markdown, on a terminal and in pages.
package wording

import (
	"fmt"
	"strings"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/metrics"
)

// figureNames are the names of figures that are no metrics.
var figureNames = map[string]string{
	"errored": "Errored", "max_errored": "Errored", "errored_share": "Errored", "errored_rate": "Errored",
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

	if r, ok := metrics.DetectionRateByName(metric); ok {
		return r.Label, true
	}

	if r, ok := metrics.SelectionRateByName(metric); ok {
		return r.Label, true
	}

	if name, ok := figureNames[metric]; ok {
		return name, true
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

// Rate formats a rate with its interval, or "–" if it has no denominator.
func Rate(value *float64, interval *contracts.Interval) string {
	if value == nil {
		return "–"
	}
	if interval == nil {
		return Figure(*value)
	}
	return fmt.Sprintf("%s (%s to %s)", Figure(*value), Figure(interval.Low), Figure(interval.High))
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
