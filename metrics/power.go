package metrics

import "math"

// MinDetectable is the smallest true mean difference that a paired two-sided
// test at alpha .05 finds with power .80, given the standard error of the mean
// difference: (z.975 + z.80)·se, which is 2.8 standard errors (Sakai,
// Information Retrieval Journal 19, 2016, derives sizes of topic sets from it).
// A tolerance below it is noise.
func MinDetectable(standardError float64) float64 {
	return (z975 + z80) * standardError
}

// Detectable is MinDetectable for a test that rejects beyond a critical value of
// so many standard errors.
func Detectable(standardError, critical float64) float64 { return (critical + z80) * standardError }

// StdError is the standard error of the mean of values that are correlated
// within groups (as in BootstrapMeans) and independent between groups:
//
//	sqrt(G/(G-1) · Σ_g (Σ_{i in g} (v_i - mean))²) / n
//
// Liang and Zeger, Biometrika 73(1), 1986, applied to a mean. If each value is
// its own group, it is StdDev/sqrt(n). It is 0 for fewer than two groups.
func StdError(values []float64, groups []string) float64 {
	if len(values) == 0 {
		return 0
	}

	sums, sizes := groupSums([][]float64{values}, groups)
	n := len(sizes)
	if n < 2 {
		return 0
	}

	mean, squares := Mean(values), 0.0
	for g, s := range sums {
		d := s - float64(mean*float64(sizes[g]))
		squares += float64(d * d)
	}

	return math.Sqrt(squares*float64(n)/float64(n-1)) / float64(len(values))
}
