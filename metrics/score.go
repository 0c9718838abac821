package metrics

import (
	"math"
	"slices"
)

// A bootstrap interval is too narrow for fewer than fewGroups independent
// groups, and for a mean that is close to an end of the scale: the effective
// number of observations times the distance from the end is then below
// fewMisses. bench/verdict prints the coverage on both sides of these limits.
const (
	fewGroups = 20
	fewMisses = 15
)

// MeanIntervals returns the 95% interval of the mean of each column of values
// in 0..1. Columns and groups are as in BootstrapMeans, which computes the
// interval unless there are fewer than 20 groups or the mean is close to 0 or
// 1. Then nearly all draws look the same, so the bootstrap is too narrow, and
// the interval is ScoreMean's.
func MeanIntervals(columns [][]float64, groups []string) []Interval {
	intervals := make([]Interval, len(columns))
	var drawn [][]float64
	var places []int
	for m, column := range columns {
		if len(column) == 0 {
			continue
		}

		mean := Mean(column)
		if independent(column, groups) < fewGroups || effective(column, groups)*min(mean, 1-mean) < fewMisses {
			intervals[m] = ScoreMean(column, groups)
			continue
		}

		drawn, places = append(drawn, column), append(places, m)
	}

	for i, interval := range BootstrapMeans(drawn, groups) {
		intervals[places[i]] = interval
	}

	return intervals
}

// ScoreMean is Wilson's interval for a mean of at least one value in 0..1 that
// is correlated within groups: the number of observations is replaced by the
// effective one, mean·(1-mean)/se², with the standard error of StdError (Korn
// and Graubard, Survey Methodology 24(2), 1998). It is at most the number of
// values, because a spread that is estimated from few values that differ may be
// far too small (Dean and Pagano, Journal of Survey Statistics and Methodology
// 3(4), 2015). If all values are equal, it is the number of independent groups.
func ScoreMean(values []float64, groups []string) Interval {
	return wilson(Mean(values), effective(values, groups))
}

// effective is the effective number of observations of ScoreMean.
func effective(values []float64, groups []string) float64 {
	mean, se := Mean(values), StdError(values, groups)
	if se == 0 {
		return independent(values, groups)
	}
	return min(float64(len(values)), mean*(1-mean)/(se*se))
}

// independent is the number of independent observations if all values of a
// group are equal: (Σ n_g)² / Σ n_g², which is the number of groups if they have
// one size (Kish, Survey Sampling, 1965, section 5.4).
func independent(values []float64, groups []string) float64 {
	_, sizes := groupSums([][]float64{values}, groups)
	squares := 0
	for _, size := range sizes {
		squares += size * size
	}
	return float64(len(values)*len(values)) / float64(squares)
}

// ScoreDifference is the 95% score interval of a mean of paired differences in
// -1..1. Groups are as in BootstrapMeans. A bound δ solves
//
//	(mean - δ)² = z² · (V + γ·(δ - mean))
//
// where V is the squared standard error of StdError, and γ = K/V its rate of
// change with the mean, K being the third cumulant of the mean. A plain normal
// interval holds V fixed. The more queries are lost, the more the number of lost
// queries varies, which matters where few differ: for a count of losses only,
// the equation is that of the score interval of a Poisson count (Garwood,
// Biometrika 28, 1936, gives the exact one). No draw is made, so the order of
// the queries has no effect.
//
// A change that no group shows yet may still exist. Towards each bound, one
// more group of average size, with the largest possible difference, is counted
// with the weight 1/(k+1), where k is the number of groups that differ
// (Laplace's rule of succession). If nothing differs at all, there is nothing
// to estimate from, and the interval is 0 alone.
func ScoreDifference(differences []float64, groups []string) Interval {
	if !slices.ContainsFunc(differences, func(d float64) bool { return d != 0 }) {
		return Interval{}
	}

	sums, sizes := groupSums([][]float64{differences}, groups)
	n, count := float64(len(differences)), float64(len(sizes))
	mean := Mean(differences)
	// Second and third moment of the sum over the groups.
	squares, cubes, differing := 0.0, 0.0, 0.0
	for g, s := range sums {
		d := s - float64(mean*float64(sizes[g]))
		squares += float64(d * d)
		cubes += float64(float64(d*d) * d)
		if math.Abs(s) > 1e-9 { // or the changes cancel within the group
			differing++
		}
	}

	if count > 1 {
		squares *= count / (count - 1)
	}

	weight, size := 1/(differing+1), n/count
	bound := func(side float64) float64 {
		unseen := side*size - float64(mean*size)
		v := squares + float64(weight*float64(unseen*unseen))
		if v == 0 {
			return mean // every group has the largest difference towards this side
		}

		k := cubes + float64(weight*float64(float64(unseen*unseen)*unseen))
		const zz = z975 * z975
		slope := zz * k / v
		half := math.Sqrt(float64(slope*slope) + float64(4*zz*v))
		return mean + (slope+float64(side*half))/(2*n)
	}
	return Interval{max(-1, bound(-1)), min(1, bound(1))}
}
