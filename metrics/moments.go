package metrics

import (
	"math"
	"slices"
)

// Mean is the arithmetic mean, 0 for no values. It sums from left to right
// without compensation, as trec_eval sums over topics: a compensated sum can
// differ in the last bit, and at 160 topics a mean often falls on a half of
// the fourth decimal, where that bit is seen.
func Mean(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// StdDev is the sample standard deviation, with n-1 in the denominator; 0 for
// fewer than two values and for equal ones. It passes over the data twice,
// which is exact enough for any spread (Chan, Golub and LeVeque, The American
// Statistician 37(3), 1983).
func StdDev(values []float64) float64 {
	// The mean of equal values may miss them by a last bit, and runs that
	// agree have no spread at all.
	if len(values) < 2 || slices.Min(values) == slices.Max(values) {
		return 0
	}
	mean, sum := Mean(values), 0.0
	for _, v := range values {
		d := v - mean
		sum += float64(d * d)
	}
	return math.Sqrt(sum / float64(len(values)-1))
}
