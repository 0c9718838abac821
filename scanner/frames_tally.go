package scanner

import "github.com/touchstone-eval/touchstone/scanner/internal/tool"

// Weights above which a check reports. Each frame counts once, by its
// strongest hit, so that repeating a sentence proves nothing more.
const (
	softWeight = 1.4
	hardWeight = 4.0
	// outrightWeight is that of an order which alone makes a hard signal.
	outrightWeight = 2.7
	// sideWeight is what a check's own hits have to reach when other checks
	// hold enough evidence together with it.
	sideWeight = 0.9
	// longTool is the number of words from which hints alone prove nothing:
	// with that much documentation some meet by chance.
	longTool = 400
)

// tally is the strongest hit of each frame, over the whole tool.
type tally struct {
	best  [frCount]hit
	total float64
}

func (v *toolReading) tally(reg *tool.Registry) *tally {
	t := &v.sums
	if v.tallied {
		return t
	}
	*t = tally{}
	for _, h := range v.frames(reg) {
		if h.weight > t.best[h.frame].weight {
			t.best[h.frame] = h
		}
	}
	for f := range t.best {
		t.total += t.best[f].weight
	}
	v.tallied = true
	return t
}

// sum adds the frames of a range up and names the strongest.
func (t *tally) sum(from, to frameID) (sum float64, strongest frameID) {
	strongest = from
	for f := from; f <= to; f++ {
		sum += t.best[f].weight
		if t.best[f].weight > t.best[strongest].weight {
			strongest = f
		}
	}
	return sum, strongest
}

// handsOver says whether the text demands outright, in one sentence, that
// somebody else's data be read and handed over.
func (t *tally) handsOver(from, to frameID) bool {
	for _, f := range []frameID{frSecret, frConv, frPrompt} {
		if f >= from && f <= to && t.best[f].weight >= outrightWeight {
			return true
		}
	}
	return false
}

// plain says whether some frame is there that has hardly an innocent
// explanation; without one, no number of hints makes a hard signal.
func (t *tally) plain() bool {
	for _, f := range []frameID{frOverride, frConceal, frSecret, frConv, frPrompt, frRedirect, frRole, frSend} {
		if t.best[f].weight >= 2 {
			return true
		}
	}
	return false
}
