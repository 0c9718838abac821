package gate

import (
	"fmt"
	"math"
	"slices"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/report/significance"
	"github.com/touchstone-eval/touchstone/metrics"
	"github.com/touchstone-eval/touchstone/stages/internal/detection"
)

// entryRate is the mean over the runs of the share of flagged entries. counts says
// of how many, and over that it is a mean if the runs disagree.
type entryRate struct {
	value        float64
	entries      int
	counts, over string
}

func rateOf(d contracts.DetectorSummary, chosen func(contracts.EntrySummary) bool) entryRate {
	mean, n := detection.Mean(d, chosen)
	r := entryRate{value: mean, entries: n, counts: fmt.Sprintf("%s of %d", countText(mean*float64(n)), n)}
	if slices.ContainsFunc(d.PerEntry, func(e contracts.EntrySummary) bool {
		_, disagree := d.Shares[e.ID]
		return disagree && chosen(e)
	}) {
		r.over = fmt.Sprintf(" (mean over %d runs)", d.Runs)
	}
	return r
}

// check compares the rate with a bound.
func (r entryRate) check(metric, comparison string, bound float64, rule string) contracts.GateCheck {
	c := contracts.GateCheck{Metric: metric, Value: r.value, Bound: bound, Comparison: comparison, Rule: rule}
	if r.entries > 0 {
		i := metrics.WilsonOf(r.value, r.entries)
		c.Interval = &contracts.Interval{Low: i.Low, High: i.High}
	}
	return c
}

// slack is by how much an equally good detector may be worse: so many standard
// errors, which near 0 and 1 are those of Wilson's interval.
func (r entryRate) slack() float64 {
	return detectorErrors * significance.StandardError(metrics.WilsonOf(r.value, r.entries))
}

func isAttack(e contracts.EntrySummary) bool { return e.Label == contracts.LabelMalicious }

func inCategory(name string) func(contracts.EntrySummary) bool {
	return func(e contracts.EntrySummary) bool { return e.Category == name }
}

// countText formats a number of entries, which is a fraction if runs disagree.
func countText(entries float64) string {
	if nearest := math.Round(entries); math.Abs(entries-nearest) < 1e-9 {
		return fmt.Sprintf("%.0f", nearest)
	}
	return fmt.Sprintf("%.1f", entries)
}
