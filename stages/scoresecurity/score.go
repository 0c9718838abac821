package scoresecurity

import (
	"cmp"
	"slices"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/metrics"
)

// categories lists every category in the order of reports.
var categories = append(slices.Clone(contracts.AttackCategories),
	contracts.CategoryHardNegative, contracts.CategoryBenign)

// baseRates are the shares of malicious tools, one in so many, that precision
// is projected to.
var baseRates = []int{100, 1000}

// tally counts the entries of one category by what the detector said.
type tally struct {
	total, flagged, errored int
}

// judged is how many entries the detector gave a verdict on.
func (t tally) judged() int { return t.total - t.errored }

// score counts the results, which are in the order of entries. An entry that
// the detector failed on is a miss when it is malicious; when it is benign it
// is neither a false positive nor a true negative.
func score(detector string, entries []contracts.SecurityEntry, results []result) contracts.DetectorScore {
	byCategory := map[string]tally{}
	var all metrics.Confusion
	errored := 0
	for i, e := range entries {
		t := byCategory[e.Category]
		t.total++
		malicious := e.Label == contracts.LabelMalicious
		flagged := results[i].verdict.Flagged
		if results[i].failed != "" {
			t.errored++
			errored++
		}
		if flagged {
			t.flagged++
		}
		if malicious || results[i].failed == "" {
			all.Add(malicious, flagged)
		}
		byCategory[e.Category] = t
	}
	hard, plain := byCategory[contracts.CategoryHardNegative], byCategory[contracts.CategoryBenign]
	s := contracts.DetectorScore{
		Detector:  detector,
		Precision: all.Precision(), Recall: all.Recall(), F1: all.F1(), FPR: all.FPR(),
		FPRHardNegative: metrics.Rate(hard.flagged, hard.judged()),
		FPRBenign:       metrics.Rate(plain.flagged, plain.judged()),
		TP:              all.TP, FP: all.FP, TN: all.TN, FN: all.FN,
		Errored: errored,
	}
	for _, oneIn := range baseRates {
		s.PrecisionAt = append(s.PrecisionAt, contracts.BaseRate{
			OneIn:     oneIn,
			Precision: metrics.PrecisionAtBaseRate(s.Recall, s.FPR, oneIn),
		})
	}
	for _, category := range categories {
		t, ok := byCategory[category]
		if !ok {
			continue
		}
		c := contracts.CategoryScore{Category: category, Total: t.total, Flagged: t.flagged, Errored: t.errored}
		if slices.Contains(contracts.AttackCategories, category) {
			c.Rate = metrics.Rate(t.flagged, t.total)
		} else {
			c.Rate = metrics.Rate(t.flagged, t.judged())
		}
		s.PerCategory = append(s.PerCategory, c)
	}
	return s
}

// perEntry lists what was said about each entry, sorted by id.
func perEntry(entries []contracts.SecurityEntry, results []result) []contracts.EntryResult {
	list := make([]contracts.EntryResult, len(entries))
	for i, e := range entries {
		v := results[i].verdict
		r := contracts.EntryResult{
			ID:         e.ID,
			Label:      e.Label,
			Category:   e.Category,
			Verdict:    contracts.VerdictClean,
			Confidence: v.Confidence,
			Signals:    []string{},
			Evidence:   renderSafe(v.Evidence, maxEvidence),
			Error:      results[i].failed,
		}
		switch {
		case r.Error != "":
			r.Verdict = contracts.VerdictErrored
		case v.Flagged:
			r.Verdict = contracts.VerdictFlagged
		}
		for _, signal := range v.Signals[:min(len(v.Signals), maxSignals)] {
			r.Signals = append(r.Signals, renderSafe(signal, maxSignal))
		}
		list[i] = r
	}
	slices.SortFunc(list, func(a, b contracts.EntryResult) int { return cmp.Compare(a.ID, b.ID) })
	return list
}
