package frames

import "github.com/touchstone-eval/touchstone/scanner/internal/tool"

// Weights above which a check reports. Each frame counts once, by its
// strongest hit, so that repeating a sentence proves nothing more.
const (
	SoftWeight = 1.4
	HardWeight = 4.0
	// outrightWeight is that of an order which alone makes a hard signal.
	outrightWeight = 2.7
	// SideWeight is what a check's own hits have to reach when other checks
	// hold enough evidence together with it.
	SideWeight = 0.9
	// LongTool is the number of words from which hints alone prove nothing:
	// with that much documentation some meet by chance.
	LongTool = 400
)

// tally is the strongest hit of each frame, over the whole tool.
type tally struct {
	Best  [Count]Hit
	Total float64
}

func (v *Reading) Tally(reg *tool.Registry) *tally {
	t := &v.sums
	if v.tallied {
		return t
	}
	*t = tally{}
	for _, h := range v.Frames(reg) {
		if h.Weight > t.Best[h.Frame].Weight {
			t.Best[h.Frame] = h
		}
	}
	for f := range t.Best {
		t.Total += t.Best[f].Weight
	}
	v.tallied = true
	return t
}

// Sum adds the frames of a range up and names the strongest.
func (t *tally) Sum(from, to ID) (sum float64, strongest ID) {
	strongest = from
	for f := from; f <= to; f++ {
		sum += t.Best[f].Weight
		if t.Best[f].Weight > t.Best[strongest].Weight {
			strongest = f
		}
	}
	return sum, strongest
}

// HandsOver reports whether the text demands outright, in one sentence, that
// somebody else's data be read and handed over.
func (t *tally) HandsOver(from, to ID) bool {
	for _, f := range []ID{Secret, Conv, Prompt} {
		if f >= from && f <= to && t.Best[f].Weight >= outrightWeight {
			return true
		}
	}
	return false
}

// Plain reports whether some frame is there that has hardly an innocent
// explanation; without one, no number of hints makes a hard signal.
func (t *tally) Plain() bool {
	for _, f := range []ID{Override, Conceal, Secret, Conv, Prompt, Redirect, Role, Send} {
		if t.Best[f].Weight >= 2 {
			return true
		}
	}
	return false
}
