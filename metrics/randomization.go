package metrics

import (
	"math"
	"slices"
)

const (
	// exactGroups is the largest number of differing groups for which all 2^n
	// assignments are tried.
	exactGroups = 16
	// randomAssignments is B of the Monte Carlo test: the standard error of a
	// p-value near .05 is .002.
	randomAssignments = 9999
)

// RandomizationTest returns the two-sided p-value of the paired randomization
// test of a mean difference of zero. Under the null hypothesis the two runs are
// exchangeable, so each difference could equally have the other sign (Fisher,
// The Design of Experiments, 1935; for retrieval, Smucker, Allan and
// Carterette, CIKM 2007). Groups are as in BootstrapMeans, and all members of a
// group change sign together.
//
// If at most 16 groups differ, all assignments are tried and the p-value is
// exact. Otherwise 9,999 seeded assignments are drawn and the p-value is
// (b+1)/(B+1), which is valid and never zero (Phipson and Smyth, Statistical
// Applications in Genetics and Molecular Biology 9(1), 2010). Without any
// difference it is 1.
func RandomizationTest(differences []float64, groups []string) float64 {
	if len(differences) == 0 {
		return 1
	}

	sums, _ := groupSums([][]float64{differences}, groups)
	sums = slices.DeleteFunc(sums, func(s float64) bool { return s == 0 })
	observed := 0.0
	for _, s := range sums {
		observed += s
	}

	if len(sums) == 0 {
		return 1
	}

	// Assignments whose totals are mathematically equal may differ in the last
	// bits. They must count as equal.
	bound := math.Abs(observed) - 1e-9
	if len(sums) <= exactGroups {
		return exactRandomization(sums, bound)
	}

	return drawnRandomization(sums, bound)
}

func exactRandomization(sums []float64, bound float64) float64 {
	extreme := 0
	for signs := range 1 << len(sums) {
		total := 0.0
		for i, s := range sums {
			if signs>>i&1 == 1 {
				s = -s
			}

			total += s
		}

		if math.Abs(total) >= bound {
			extreme++
		}
	}

	return float64(extreme) / float64(int(1)<<len(sums))
}

func drawnRandomization(sums []float64, bound float64) float64 {
	r := newRandom(2)
	extreme := 0
	for range randomAssignments {
		total := 0.0
		var signs uint64
		for i, s := range sums {
			if i%64 == 0 {
				signs = r.bits()
			}

			// The sign bit is set with bit operations: a branch on a random bit
			// would be mispredicted half of the time.
			total += math.Float64frombits(math.Float64bits(s) ^ signs<<63)
			signs >>= 1
		}

		if math.Abs(total) >= bound {
			extreme++
		}
	}

	return float64(extreme+1) / float64(randomAssignments+1)
}
