package scanner

import "strings"

// Frames about what the user is told and offered: what is passed over in
// silence, whose products come first.

// hushed finds things that the user would want to know and that are said to
// need no mention.
func (x *frameContext) hushed() {
	if x.kind != kindDescription || x.sen.first || x.discount < 1 || x.unlessWanted() || strings.Contains(x.text(), "--") {
		return
	}
	i := x.senseAt(sHush, 0, len(x.toks))
	if i < 0 || x.housekeeping(i) || x.fromOthers(i) {
		return
	}
	s, c := x.around()
	w := 0.0
	if x.findWord(0, len(x.toks), "fee", "fees", "surcharge", "copy", "copies", "commission", "cost", "costs", "stored", "failing", "failed", "raw", "changes", "step", "deed", "deletion", "upload", "transfer", "internally", "deposit", "charge", "payment") >= 0 ||
		x.mask.any(cPay|cDestroy|cSend|cInstr|cUrgent|cSecret|cRead) {
		w += 0.8
	}
	if w == 0 && (x.sen.foreign && x.mask.any(cChange|cIgnore|cDisable) || c.any(cPay|cDestroy|cDisable|cSend)) {
		w = 0.5
	}
	if x.mask.any(cUser | cModel | cConv | cYou | cTell) {
		w += 0.5
	}
	if s.any(sMove|sCopyTo|sVendor) || c.any(cOutside) {
		w += 0.3
	}
	if x.mask.any(cMust|cShould|cPrefer) || x.isWord(i, "best") || x.sen.foreign {
		w += 0.3
	}
	if w >= 0.8 {
		x.hit(frConceal, min(w, 1.7), i, i)
	}
}

// favours finds offers that come first for whose they are.
func (x *frameContext) favours() {
	if x.kind != kindDescription || x.sen.first || x.discount < 1 {
		return
	}
	i := x.senseAt(sPromo, 0, len(x.toks))
	if i < 0 || x.findAny(cNeg, i-5, i) >= 0 {
		return
	}
	rank := x.findWord(0, len(x.toks), "first", "top", "best", "ahead", "above", "recommended", "recommend", "usual", "favourite", "favour", "favor", "prefer", "preferred", "own", "praise", "positively")
	as := x.findWord(0, len(x.toks), "presenting", "present", "presented", "describe", "described", "list", "listed", "rank", "ranked", "recommend", "recommended", "mention", "mentioned", "named", "say", "come", "show", "shown", "promote")
	open := x.findWord(0, len(x.toks), "labelled", "labeled", "marked", "tagged", "flagged", "label", "disclosed", "disclose", "badge", "excluded", "filter", "filtered")
	if rank >= 0 && as >= 0 && open < 0 {
		w := 1.0
		if x.mask.any(cModel|cYou|cUser|cNeg|cMust|cOther) || x.findWord(0, len(x.toks), "own", "our", "helps", "irrespective", "regardless", "unbiased", "independent") >= 0 {
			w = 1.5
		}
		x.hit(frMislead, w, i, rank)
	}
}

// later finds orders over what the user will ask for later, whatever it is.
func (x *frameContext) later() {
	if !x.described() || x.discount < 1 || x.kind == kindParamDescription {
		return
	}
	i := x.findWord(0, len(x.toks), "later", "future", "further", "subsequent", "next", "now", "point")
	if i < 0 || x.isWord(i, "now", "point") && !x.isWord(i+1, "on", "onwards", "onward", "forward") || x.isWord(i, "next") && !x.isWord(i-1, "each", "every", "all", "their") {
		return
	}
	task := x.findWord(i, i+8, "request", "requests", "question", "questions", "answer", "answers", "task", "tasks", "reply", "replies", "prompt", "prompts", "message", "messages", "tool", "tools", "topic")
	if task < 0 {
		return
	}
	for k, t := range x.toks {
		if t.flags&tfIdent != 0 || !x.isWord(k, "treat", "respond", "answer", "refuse", "tell", "reply", "begin", "end", "interpret", "understand", "decline", "recommend", "mention", "start", "close", "open", "favour") {
			continue
		}
		if (x.mood(k) >= moodOrder || k > 0 && x.toks[k-1].c.any(cTo) && x.findAny(cYou|cModel, k-5, k) >= 0) && k != task && x.mask.any(cOther|cNow) {
			x.hit(frPersist, 1.6, k, task)
			return
		}
	}
}
