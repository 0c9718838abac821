// Package significance says which changes of figures count as more than noise.
// The stages that compare with the baseline and judge, and the comparison of two
// reports, use the same rule.
package significance

import (
	"slices"

	"github.com/touchstone-eval/touchstone/metrics"
)

// Level is the chance of any false alarm among the tests of one family.
const Level = 0.05

// SmallestDrop is the smallest significant drop of a metric that fails the gate.
// With many queries a change can be significant and far too small to matter.
const SmallestDrop = 0.01

// Families applies Holm's correction to the p-values of the named metrics. The
// judged metrics are one family, so that metrics that nobody judges do not make
// a judged one less sensitive. The others take their result from the family of
// all metrics. tests[m] is the size of the family of metric m.
func Families(names []string, p []float64, judged []string) (tests []int, significant []bool) {
	tests, significant = make([]int, len(p)), make([]bool, len(p))
	var family []int
	var values []float64
	for m, adjusted := range metrics.Holm(p) {
		tests[m], significant[m] = len(p), adjusted < Level
		if slices.Contains(judged, names[m]) {
			family, values = append(family, m), append(values, p[m])
		}
	}

	for i, adjusted := range metrics.Holm(values) {
		tests[family[i]], significant[family[i]] = len(family), adjusted < Level
	}

	return tests, significant
}

// FewestGroups is the number of groups of queries that must differ before a
// paired randomization test can become significant at all as one of so many
// tests: 2/2^6 is the first p-value below .05, and 2/2^7 the first below .05/3.
func FewestGroups(tests int) int {
	groups := 1
	for p := 1.0; p >= Level/float64(tests); p /= 2 {
		groups++
	}
	return groups
}
