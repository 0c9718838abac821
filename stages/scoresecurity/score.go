package scoresecurity

import "github.com/touchstone-eval/touchstone/contracts"

// perEntry lists the result for each entry, in the order of entries.
func perEntry(entries []contracts.SecurityEntry, results []result) []contracts.EntryResult {
	list := make([]contracts.EntryResult, len(entries))
	for i, e := range entries {
		v := results[i].verdict
		r := contracts.EntryResult{
			ID:         e.ID,
			Label:      e.Label,
			Category:   e.Category,
			Technique:  e.Technique,
			Carrier:    e.Carrier,
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

	return list
}
