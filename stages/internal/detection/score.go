// Package detection counts the verdicts of a detector on the entries of the
// security corpus. The stage that runs a detector and the stage that combines
// several runs use the same counts.
package detection

import (
	"slices"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/metrics"
)

// BaseRates are the base rates, one malicious tool in so many, for which
// precision is computed.
var BaseRates = []int{100, 1000}

// Categories lists every category in the order of reports.
var Categories = append(slices.Clone(contracts.AttackCategories),
	contracts.CategoryHardNegative, contracts.CategoryBenign)

// Score counts entries. An entry on which the detector failed counts as missed
// if it is malicious. If it is benign, it is neither a false positive nor a
// true negative.
func Score(detector string, entries []contracts.EntryResult) contracts.DetectorScore {
	var all metrics.Confusion
	byCategory := make(map[string]contracts.CategoryScore)
	errored := 0
	for _, e := range entries {
		c := byCategory[e.Category]
		c.Total++
		malicious, flagged := e.Label == contracts.LabelMalicious, e.Verdict == contracts.VerdictFlagged
		if flagged {
			c.Flagged++
		}

		if e.Verdict == contracts.VerdictErrored {
			c.Errored++
			errored++
		}

		if malicious || e.Verdict != contracts.VerdictErrored {
			all.Add(malicious, flagged)
		}

		byCategory[e.Category] = c
	}

	s := contracts.DetectorScore{
		Detector: detector,
		TP:       all.TP, FP: all.FP, TN: all.TN, FN: all.FN,
		Errored: errored,
	}
	for _, category := range Categories {
		c, ok := byCategory[category]
		if !ok {
			continue
		}

		c.Category = category
		c.Rate = metrics.Rate(c.Flagged, Judged(c))
		s.PerCategory = append(s.PerCategory, c)
	}

	counts := Counts(s)
	for _, r := range metrics.DetectionRates() {
		s.SetRate(r.Name, r.Of(counts))
	}

	for _, oneIn := range BaseRates {
		b := contracts.BaseRate{OneIn: oneIn, Precision: metrics.PrecisionAtBaseRate(s.Recall, s.FPR, oneIn)}
		if i, ok := metrics.PrecisionAtBaseRateInterval(s.TP, s.TP+s.FN, s.FP, s.FP+s.TN, oneIn); ok {
			b.Interval = &contracts.Interval{Low: i.Low, High: i.High}
		}

		s.PrecisionAt = append(s.PrecisionAt, b)
	}

	return s
}

// Counts returns the counts from which the rates of a score are computed.
func Counts(s contracts.DetectorScore) metrics.DetectionCounts {
	counts := metrics.DetectionCounts{All: metrics.Confusion{TP: s.TP, FP: s.FP, TN: s.TN, FN: s.FN}}
	for _, c := range s.PerCategory {
		benign := metrics.Confusion{FP: c.Flagged, TN: Judged(c) - c.Flagged}
		switch c.Category {
		case contracts.CategoryHardNegative:
			counts.HardNegative = benign
		case contracts.CategoryBenign:
			counts.Benign = benign
		}
	}
	return counts
}

// Failed counts the entries on which the detector failed in any run, even if
// most runs have a verdict.
func Failed(d contracts.DetectorSummary) int {
	n := 0
	for _, e := range d.PerEntry {
		if e.Error != "" {
			n++
		}
	}
	return n
}

// Judged is the denominator of a category's rate: all attacks, because an error
// on an attack is a miss, or the benign entries with a verdict.
func Judged(c contracts.CategoryScore) int {
	if slices.Contains(contracts.AttackCategories, c.Category) {
		return c.Total
	}
	return c.Total - c.Errored
}
