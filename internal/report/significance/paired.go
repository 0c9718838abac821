package significance

import (
	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/metrics"
)

// Paired compares figures with earlier ones. Both are lists of columns, one for
// each of the named metrics, with a value for each query; groups are those of
// Groups. All metrics are one family: a verdict is within_noise unless the
// p-value, adjusted for the family by metrics.StepDown, is at most Level.
func Paired(names []string, before, after [][]float64, groups []string) []contracts.MetricComparison {
	differences := make([][]float64, len(after))
	for m, column := range after {
		differences[m] = make([]float64, len(column))
		for i := range column {
			differences[m][i] = column[i] - before[m][i]
		}
	}

	adjusted := metrics.StepDown(differences, groups)
	comparisons := make([]contracts.MetricComparison, len(after))
	for m := range after {
		was := metrics.Mean(before[m])
		delta := metrics.ScoreDifference(differences[m], groups)
		c := contracts.MetricComparison{
			Baseline: was, Delta: metrics.Mean(after[m]) - was,
			DeltaInterval: contracts.Interval{Low: delta.Low, High: delta.High},
			PValue:        adjusted.P[m], MinDetectable: minDetectable(delta, adjusted), Verdict: contracts.WithinNoise,
		}
		if c.PValue <= Level {
			c.Verdict = contracts.Improved
			if metrics.Gain(names[m], 0, metrics.Mean(differences[m])) < 0 {
				c.Verdict = contracts.Regressed
			}
		}

		comparisons[m] = c
	}

	return comparisons
}

// minDetectable is the smallest true change of a metric that gets a verdict with
// power .80 in a comparison like this one: (c + z.80) standard errors of the
// difference, where c is the critical value of the test. It is nil if the metric
// did not change in any query, or if too few groups differ for a verdict.
func minDetectable(delta metrics.Interval, adjusted metrics.Adjusted) *float64 {
	critical, ok := adjusted.Critical(Level)
	if !ok || delta == (metrics.Interval{}) {
		return nil
	}
	detectable := metrics.Detectable(StandardError(delta), critical)
	return &detectable
}

// StandardError is that of a normal distribution with the same 95% interval.
func StandardError(i metrics.Interval) float64 {
	const z975 = 1.959963984540054
	return (i.High - i.Low) / (2 * z975)
}
