package metrics

import "slices"

// DetectionRate declares one rate of a detector. As with ranking metrics,
// scores, intervals, reports and the table in docs/reference/metrics.md follow
// from the table below. The fields of the files are typed: they are those of
// contracts.DetectorScore and contracts.DetectorSummary that are called Name.
type DetectionRate struct {
	// Name is the name in files. Label is the name in reports.
	Name, Label string
	// Count returns the numerator k and the denominator n of the rate. The rate
	// is undefined if n is 0.
	Count func(DetectionCounts) (k, n int)
	// LowerIsBetter is set if a smaller value is better.
	LowerIsBetter bool
	// Interval is set if the rate is a share of n independent entries, so that
	// Wilson's interval applies.
	Interval bool
	// Shown is where reports print the rate. report.json has every rate.
	Shown Place
	// Formula and Source are printed in docs/reference/metrics.md.
	Formula, Source string
}

// DetectionCounts are the counts from which the rates of a detector are
// computed. All covers every entry. HardNegative and Benign cover the two kinds
// of benign entries separately, and contain no malicious entry.
type DetectionCounts struct {
	All, HardNegative, Benign Confusion
}

// standard is the source of the textbook rates.
const standard = "van Rijsbergen, Information Retrieval, 2nd ed. 1979, chapter 7"

// detectionRates is the table, in the order of reports.
var detectionRates = []DetectionRate{
	{
		Name: "recall", Label: "Recall", Interval: true, Shown: InSummary | InTables | OnPage,
		Count:   func(c DetectionCounts) (k, n int) { return c.All.TP, c.All.TP + c.All.FN },
		Formula: "TP / (TP + FN)", Source: standard,
	},
	{
		Name: "fpr_hard_negative", Label: "FPR, hard negatives", LowerIsBetter: true, Interval: true, Shown: InTables |
			OnPage,
		Count:   func(c DetectionCounts) (k, n int) { return c.HardNegative.FP, c.HardNegative.FP + c.HardNegative.TN },
		Formula: "FP / (FP + TN), over hard negatives", Source: standard,
	},
	{
		Name: "fpr_benign", Label: "FPR, plain benign", LowerIsBetter: true, Interval: true, Shown: InTables | OnPage,
		Count:   func(c DetectionCounts) (k, n int) { return c.Benign.FP, c.Benign.FP + c.Benign.TN },
		Formula: "FP / (FP + TN), over plain benign entries", Source: standard,
	},
	{
		Name: "precision", Label: "Precision", Interval: true, Shown: InSummary | InTables | OnPage,
		Count:   func(c DetectionCounts) (k, n int) { return c.All.TP, c.All.TP + c.All.FP },
		Formula: "TP / (TP + FP)", Source: standard,
	},
	{
		// The harmonic mean of two rates is not a share of independent entries.
		Name: "f1", Label: "F1", Shown: InSummary | InTables | OnPage,
		Count:   func(c DetectionCounts) (k, n int) { return 2 * c.All.TP, 2*c.All.TP + c.All.FP + c.All.FN },
		Formula: "2 TP / (2 TP + FP + FN)", Source: standard,
	},
	{
		Name: "fpr", Label: "FPR, all benign", LowerIsBetter: true, Interval: true, Shown: InSummary | InTables |
			OnPage,
		Count:   func(c DetectionCounts) (k, n int) { return c.All.FP, c.All.FP + c.All.TN },
		Formula: "FP / (FP + TN), over all benign entries", Source: standard,
	},
}

// DetectionRates returns the declared rates in the order of reports.
func DetectionRates() []DetectionRate { return slices.Clone(detectionRates) }

// DetectionRateByName returns the rate of that name. ok is false if there is
// none.
func DetectionRateByName(name string) (r DetectionRate, ok bool) {
	i := slices.IndexFunc(detectionRates, func(r DetectionRate) bool { return r.Name == name })
	if i < 0 {
		return DetectionRate{}, false
	}
	return detectionRates[i], true
}

// Of computes the rate, or nil if it is undefined.
func (r DetectionRate) Of(c DetectionCounts) *float64 { return Rate(r.Count(c)) }
