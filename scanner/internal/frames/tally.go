package frames

import (
	"math/bits"

	"github.com/touchstone-eval/touchstone/scanner/internal/tool"
)

// Weights above which a check reports. Each frame counts once, with its
// strongest hit, because a repeated sentence is no further evidence.
const (
	SoftWeight = 1.4
	HardWeight = 4.0
	// outrightWeight is the weight of an order that alone makes a hard signal.
	outrightWeight = 2.7
	// SideWeight is the required weight of a check's own hits if other checks
	// contribute enough evidence.
	SideWeight = 0.9
	// LongTool is the number of words from which hints alone are no evidence:
	// long documentation contains some by chance.
	LongTool = 400
	// shortTool is the number of words below which no hint is there by chance. For each
	// doubling a check reports only chanceWeight more, up to maxChance.
	shortTool    = 128
	chanceWeight = 0.3
	maxChance    = 0.8
)

// Chance is the weight of hints that a text of the tool's length has by chance.
func (v *Reading) Chance() float64 {
	return min(maxChance, chanceWeight*float64(bits.Len(uint(len(v.Tokens)/shortTool))))
}

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

// Sum adds up the frames of a range and returns the strongest.
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

// HandsOver reports whether one sentence of the text outright demands to read
// somebody else's data and to hand it over.
func (t *tally) HandsOver(from, to ID) bool {
	for _, f := range []ID{Secret, Conv, Prompt} {
		if f >= from && f <= to && t.Best[f].Weight >= outrightWeight {
			return true
		}
	}
	return false
}

// Plain reports whether there is a frame that hardly has an innocent
// explanation. Without one, no number of hints makes a hard signal.
func (t *tally) Plain() bool {
	for _, f := range []ID{Override, Conceal, Secret, Conv, Prompt, Redirect, Role, Send} {
		if t.Best[f].Weight >= 2 {
			return true
		}
	}
	return false
}
