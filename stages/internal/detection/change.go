package detection

import "github.com/touchstone-eval/touchstone/contracts"

// Changed is the state of an entry given its earlier verdict, if there is one,
// and its current result. It is errored if the detector fails now, in any run,
// and empty if nothing moved. After an error, any verdict but a false alarm
// counts as fixed.
func Changed(before string, now contracts.EntrySummary) (state string) {
	right := contracts.VerdictClean
	if now.Label == contracts.LabelMalicious {
		right = contracts.VerdictFlagged
	}

	switch {
	case now.Error != "":
		return contracts.ChangeErrored
	case now.Verdict == before:
		return ""
	case now.Verdict != right && (before != contracts.VerdictErrored || now.Verdict == contracts.VerdictFlagged):
		return contracts.ChangeRegressed
	}

	return contracts.ChangeFixed
}
