package metrics

import (
	"math"
	"slices"
)

// Mean is the arithmetic mean, or 0 for no values. It sums from left to right
// without compensation, as trec_eval sums over topics. A compensated sum can
// differ in the last bit. With 160 topics a mean often ends exactly halfway
// between two values of the fourth decimal, where that bit changes the printed
// digit.
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

// StdDev is the sample standard deviation, with n-1 in the denominator. It is 0
// for fewer than two values and for equal values. It makes two passes over the
// data, which is accurate enough for any spread (Chan, Golub and LeVeque, The
// American Statistician 37(3), 1983).
func StdDev(values []float64) float64 {
	// The computed mean of equal values may be off by one bit, but equal values
	// have no spread.
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
