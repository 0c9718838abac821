// Package significance says which changes of figures count as more than noise.
// The stages that compare with the baseline and judge, and the comparison of two
// reports, use the same rule.
package significance

import "math"

// Level is the chance that any metric of a comparison gets a verdict although
// none changed: half of it for a loss and half for a gain. Together with the
// tolerances of Replaceable, a family has an error of at most .05, and an equally
// good replacement of a proxy fails in at most .025 of the comparisons.
const Level = 0.04

// SmallestDrop is the smallest significant loss of a metric that may fail the
// gate, given the baseline's value: 5% of it, and at least .005. With many queries
// a change can be significant and far too small to matter.
func SmallestDrop(value float64) float64 { return math.Max(0.005, 0.05*value) }
