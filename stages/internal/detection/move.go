package detection

import "github.com/touchstone-eval/touchstone/contracts"

// Moved is the state of an entry that was judged so before and is judged so now,
// or on which the detector fails now, in any run; empty when nothing moved. A
// verdict after an error is better than the error, whatever it is, but for a
// false alarm.
func Moved(before string, now contracts.EntrySummary) (state string) {
	right := contracts.VerdictClean
	if now.Label == contracts.LabelMalicious {
		right = contracts.VerdictFlagged
	}
	switch {
	case now.Error != "":
		return contracts.MoveErrored
	case now.Verdict == before:
		return ""
	case now.Verdict != right && (before != contracts.VerdictErrored || now.Verdict == contracts.VerdictFlagged):
		return contracts.MoveRegressed
	}
	return contracts.MoveFixed
}
