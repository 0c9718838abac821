package significance

import (
	"math"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/metrics"
)

// Paired compares figures with earlier ones. Both are lists of columns, one for
// each of the named metrics, with a value for each query; groups are those of
// Groups. The judged metrics are one family of tests, and all metrics another,
// from which the others take their verdict: a verdict is within_noise unless
// the difference stays significant after Holm's correction over its family.
// judged may be nil if nothing is judged.
func Paired(names []string, before, after [][]float64, groups, judged []string) []contracts.MetricComparison {
	differences := make([][]float64, len(after))
	pValues := make([]float64, len(after))
	for m, column := range after {
		differences[m] = make([]float64, len(column))
		for i := range column {
			differences[m][i] = column[i] - before[m][i]
		}

		pValues[m] = metrics.RandomizationTest(differences[m], groups)
	}

	tests, significant := Families(names, pValues, judged)
	comparisons := make([]contracts.MetricComparison, len(after))
	for m := range after {
		was := metrics.Mean(before[m])
		delta := metrics.ScoreDifference(differences[m], groups)
		c := contracts.MetricComparison{
			Baseline: was, Delta: metrics.Mean(after[m]) - was,
			DeltaInterval: contracts.Interval{Low: delta.Low, High: delta.High},
			PValue:        pValues[m], MinDetectable: minDetectable(differences[m], after[m], groups, tests[m]),
			Verdict: contracts.WithinNoise,
		}
		if significant[m] {
			c.Verdict = contracts.Improved
			if metrics.Gain(names[m], 0, metrics.Mean(differences[m])) < 0 {
				c.Verdict = contracts.Regressed
			}
		}

		comparisons[m] = c
	}

	return comparisons
}

// minDetectable is the smallest true change of a metric that gets a verdict
// with power .80. It follows from the spread of the differences. If too few
// groups differ for a verdict (none at all, for an unchanged proxy), it is the
// planned value for two systems whose values correlate at .9 over the queries:
// the standard error of the difference is then sqrt(.2) times that of the metric
// itself. It is never 0: a standard error that would be is that of a score
// interval.
func minDetectable(differences, values []float64, groups []string, tests int) float64 {
	sums := make(map[string]float64)
	for i, d := range differences {
		sums[groups[i]] += d
	}

	differing := 0
	for _, s := range sums {
		// Changes that cancel within a group leave a rest of rounding errors.
		if s > 1e-9 || s < -1e-9 {
			differing++
		}
	}

	const correlation = 0.9
	se := standardError(metrics.ScoreDifference(differences, groups))
	if differing < FewestGroups(tests) {
		planned := metrics.StdError(values, groups)
		if planned == 0 {
			planned = standardError(metrics.ScoreMean(values, groups))
		}

		se = math.Sqrt(2*(1-correlation)) * planned
	}

	return max(SmallestDrop, metrics.MinDetectableOf(se, tests))
}

// standardError is that of a normal distribution with the same 95% interval.
func standardError(i metrics.Interval) float64 {
	const z975 = 1.959963984540054
	return (i.High - i.Low) / (2 * z975)
}
