package scanner

import "strings"

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

func (v *ToolView) tally(reg *RegistryView) *tally {
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

// report makes the signal of a check that owns the frames from..to, if they
// weigh enough.
func (v *ToolView) report(reg *RegistryView, info CheckInfo, from, to frameID) []Signal {
	t := v.tally(reg)
	sum, strongest := t.sum(from, to)
	if sum < softWeight && (sum < sideWeight || t.total < softWeight+0.4) {
		return nil
	}
	if len(v.tokens) > longTool && (sum < softWeight || t.best[strongest].weight < 1.2) {
		return nil
	}
	h := t.best[strongest]
	d := &v.docs[h.doc]
	s := Signal{
		CheckID: info.ID, Tier: TierSoft, ThreatType: info.ThreatType,
		Confidence: positionDiscount(min(sum/4, 1), int(h.start)),
		Evidence:   excerpt(d.text, int(h.start), int(h.end)),
	}
	if !h.doubted && (t.total >= hardWeight && sum >= softWeight+0.4 && t.plain() || t.handsOver(from, to)) && !v.purpose().any(cMeta) && (len(v.tokens) <= longTool || t.best[strongest].weight >= 2.2) {
		s.Tier = TierHard
	}
	switch strongest {
	case frOverride, frRole, frMimicry, frGuard, frPrompt:
		s.ThreatType = ThreatPromptInjection
	}
	var b strings.Builder
	b.WriteString(v.fields[d.field].where())
	for f := from; f <= to; f++ {
		if t.best[f].weight > 0 {
			b.WriteString("; ")
			b.WriteString(frameNames[f])
		}
	}
	s.Detail = b.String()
	return []Signal{s}
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

// positionDiscount lowers confidence by at most a fifth for what stands far
// into a text: there an order is likelier to be quoted or documented.
func positionDiscount(confidence float64, offset int) float64 {
	return confidence * (1 - 0.2*min(float64(offset)/4000, 1))
}
