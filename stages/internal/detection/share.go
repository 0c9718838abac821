package detection

import "github.com/touchstone-eval/touchstone/contracts"

// Share is the share of the runs in which an entry was flagged, 0 or 1 if they
// agree. A run in which the detector failed on an attack missed it; on a benign
// entry it does not count, and ok is false if there is no other run.
func Share(d contracts.DetectorSummary, e contracts.EntrySummary) (share float64, ok bool) {
	if share, ok := d.Shares[e.ID]; ok {
		return share, true
	}
	return shareOf(e.Verdict, e.Label)
}

// ShareBefore is Share of an entry with this label in a baseline.
func ShareBefore(b contracts.BaselineDetector, id, label string) (share float64, ok bool) {
	if share, ok := b.Shares[id]; ok {
		return share, true
	}
	for verdict, ids := range map[string][]string{contracts.VerdictFlagged: b.Flagged,
		contracts.VerdictErrored: b.Errored} {
		for _, other := range ids {
			if other == id {
				return shareOf(verdict, label)
			}
		}
	}
	return 0, true
}

func shareOf(verdict, label string) (share float64, ok bool) {
	if verdict == contracts.VerdictFlagged {
		return 1, true
	}
	return 0, verdict != contracts.VerdictErrored || label == contracts.LabelMalicious
}

// ShareOf is Share over the results of one entry in several runs.
func ShareOf(perRun []contracts.EntryResult) (share float64, ok bool) {
	sum, n := 0.0, 0
	for _, r := range perRun {
		if share, ok := shareOf(r.Verdict, r.Label); ok {
			sum += share
			n++
		}
	}
	if n == 0 {
		return 0, false
	}
	return sum / float64(n), true
}

// Mean is the mean share over the entries that are chosen, with their number: the
// mean over the runs of a rate.
func Mean(d contracts.DetectorSummary, chosen func(contracts.EntrySummary) bool) (mean float64, n int) {
	sum := 0.0
	for _, e := range d.PerEntry {
		if !chosen(e) {
			continue
		}

		if share, ok := Share(d, e); ok {
			sum += share
			n++
		}
	}

	if n == 0 {
		return 0, 0
	}

	return sum / float64(n), n
}
