// Package detection counts what a detector said about the entries of the
// security corpus. The stage that runs a detector and the stage that brings
// several runs together count alike.
package detection

import (
	"slices"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/metrics"
)

// BaseRates are the shares of malicious tools, one in so many, that precision
// is projected to.
var BaseRates = []int{100, 1000}

// Categories lists every category in the order of reports.
var Categories = append(slices.Clone(contracts.AttackCategories),
	contracts.CategoryHardNegative, contracts.CategoryBenign)

// Score counts entries. One that the detector failed on is a miss when it is
// malicious; when it is benign it is neither a false positive nor a true
// negative.
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
		Detector:  detector,
		Precision: all.Precision(), Recall: all.Recall(), F1: all.F1(), FPR: all.FPR(),
		TP: all.TP, FP: all.FP, TN: all.TN, FN: all.FN,
		Errored: errored,
	}
	for _, oneIn := range BaseRates {
		s.PrecisionAt = append(s.PrecisionAt, contracts.BaseRate{OneIn: oneIn, Precision: metrics.PrecisionAtBaseRate(s.Recall, s.FPR, oneIn)})
	}
	for _, category := range Categories {
		c, ok := byCategory[category]
		if !ok {
			continue
		}
		c.Category = category
		c.Rate = metrics.Rate(c.Flagged, Judged(c))
		s.PerCategory = append(s.PerCategory, c)
		switch category {
		case contracts.CategoryHardNegative:
			s.FPRHardNegative = c.Rate
		case contracts.CategoryBenign:
			s.FPRBenign = c.Rate
		}
	}
	return s
}

// Failed counts the entries on which the detector failed in any run, whatever
// the majority of the runs says.
func Failed(d contracts.DetectorSummary) int {
	n := 0
	for _, e := range d.PerEntry {
		if e.Error != "" {
			n++
		}
	}
	return n
}

// Judged is the denominator of a category's rate: all attacks, since an error
// on one is a miss, and of benign entries those with a verdict.
func Judged(c contracts.CategoryScore) int {
	if slices.Contains(contracts.AttackCategories, c.Category) {
		return c.Total
	}
	return c.Total - c.Errored
}
