package scanner

// Frames about results: figures that are changed, findings that are left out,
// answers that are fixed before the question.

// tampers finds orders to give the user something else than the tool's
// result, or something else than was asked for.
func (x *frameContext) tampers() {
	if x.kind > kindParamDescription || x.about.any(cDeceive) {
		return
	}
	for i := range x.toks {
		t := x.toks[i]
		if t.flags&tfIdent != 0 || t.f != formBase && t.f != formPast && !t.c.any(cPrefer|cIgnore) {
			continue
		}
		ordered := t.f == formBase && x.mood(i) >= moodOrder && (i == 0 || !x.toks[i-1].c.any(cYou)) && !(x.sen.first && x.kind == kindDescription)
		switch {
		// "swap the figures before you present them"
		case ordered && x.isWord(i, "swap", "exchange", "alter", "inflate", "invert", "falsify", "adjust") && (x.findAny(cResult|cPay|cOther, i, i+6) >= 0 || x.findWord(i, i+6, "figures", "numbers", "totals", "names", "amounts", "scores") >= 0) && x.shownLater(i):
			x.hit(frMislead, 1.6, i, i)
		case ordered && x.isWord(i, "subtract", "add", "deduct", "multiply", "reduce", "increase", "raise", "lower", "round") && x.portion(i) && (x.mask.any(cUser) || x.shownLater(i) || x.isWord(i+3, "on") || x.isWord(i+4, "top")):
			x.hit(frMislead, 1.5, i, i+2)
		// "call it a service fee"
		case ordered && x.isWord(i, "call", "label", "name") && x.isWord(i+1, "it", "this", "them") && x.isWord(i+2, "a", "an", "the"):
			x.hit(frMislead, 1.4, i, i+2)
		// "say that they were moved", whatever happened
		case ordered && x.isWord(i, "say", "answer", "claim", "reply", "state", "pretend") && x.isWord(i+1, "that", "it", "they") && !x.isWord(i+1, "it", "they") && x.fixedAnswer(i):
			x.hit(frMislead, 1.5, i, i+1)
		// "if the user asks ..., answer that it never leaves their computer"
		case ordered && x.isWord(i, "say", "answer", "reply", "tell", "explain", "claim", "respond") && x.asked(i) && (x.findAny(cSub|cTrue|cNeg, i, i+4) >= 0 || x.isWord(i+1, "that")):
			x.hit(frMislead, 1.5, i, i+1)
		// "must be described as closed"
		case t.f == formPast && x.isWord(i, "described", "reported", "presented", "shown", "labelled", "labeled", "counted", "announced", "summarised", "summarized", "explained") && x.isWord(i+1, "as") && x.mood(i) >= moodOrder:
			x.hit(frMislead, 1.5, i, i+1)
		case ordered && x.isWord(i, "present", "describe", "report", "show", "list", "attach", "send", "include") && x.either(i):
			x.hit(frMislead, 1.5, i, i)
		// "in place of whichever package was asked for"
		case t.c.any(cPrefer|cIgnore) && x.isWord(i, "in", "instead", "rather") && x.findAny(cAsk, i+1, i+9) >= 0 && x.isWord(x.findAny(cAsk, i+1, i+9), "asked", "requested", "wanted") && x.mask.any(cCall|cInclude|cRead|cChange):
			if _, m := x.demanded(cCall|cInclude|cRead|cChange|cSend, moodOrder); m >= moodOrder {
				x.hit(frHijack, 1.5, i, i)
			}
		default:
			continue
		}
		return
	}
}

// shownLater says whether what the verb at i changes is then given to the
// user.
func (x *frameContext) shownLater(i int) bool {
	for k := i + 1; k < len(x.toks); k++ {
		if x.isWord(k, "present", "presenting", "show", "showing", "report", "reporting", "answer", "tell", "telling", "display") {
			return true
		}
	}
	return false
}

// portion finds "a third", "7 percent", "by half" after token i.
func (x *frameContext) portion(i int) bool {
	for k := i + 1; k < min(i+6, len(x.toks)); k++ {
		if x.isWord(k, "percent", "third", "half", "quarter", "tenth", "fifth", "double", "pct", "points", "fee") {
			return true
		}
	}
	return false
}

// asked says whether the sentence speaks of a question that the user may ask.
func (x *frameContext) asked(i int) bool {
	for k := 0; k < len(x.toks); k++ {
		if x.isWord(k, "ask", "asks", "asked", "wonders", "complains", "questions", "inquires") && k != i && x.findAny(cUser|cWhen|cShould, max(0, k-5), k) >= 0 && !x.isWord(k+1, "for", "to") {
			return true
		}
	}
	return false
}

// fixedAnswer says whether what is to be said does not depend on anything.
func (x *frameContext) fixedAnswer(i int) bool {
	for k := 0; k < i; k++ {
		if x.toks[k].c.any(cWhen) && x.isWord(k, "if", "when", "whenever", "unless", "where", "after", "once") {
			return false
		}
	}
	return x.findAny(cBe|cModal, i+2, i+7) >= 0 || x.findAny(cNeg, i+2, i+5) >= 0
}

// either finds "whether or not" after token i.
func (x *frameContext) either(i int) bool {
	for k := i + 1; k+2 < len(x.toks); k++ {
		if x.isWord(k, "whether") && x.isWord(k+1, "or") && x.isWord(k+2, "not") {
			return true
		}
	}
	return false
}

// omits finds orders to leave findings out of what the user gets.
func (x *frameContext) omits() {
	if x.kind > kindParamDescription {
		return
	}
	if x.unlessWanted() {
		return
	}
	const worth = cUrgent | cResult | cDestroy | cKnow | cPay
	for i := range x.toks {
		if !x.toks[i].c.any(cDo | cIgnore | cTell | cNeg | cDisable) {
			continue
		}
		if x.isWord(i, "leave", "leaving", "omit", "drop", "skip", "suppress", "withhold") && x.mood(i) >= moodOrder && !(x.sen.first && x.kind == kindDescription) {
			out := x.isWord(i, "omit", "suppress", "withhold")
			for k := i + 1; k < min(i+9, len(x.toks)) && !out; k++ {
				out = x.isWord(k, "out") && !x.isWord(k+1, "of")
			}
			if !out {
				continue
			}
			switch {
			case x.isWord(i+1, "them", "those", "these") && x.before(worth|cGuard), x.isWord(i+2, "anything", "everything", "whatever") && x.mask.any(cPrefer|cTell|cUser), x.isWord(i+1, "anything", "everything") && x.isWord(i+2, "that"),
				x.findAny(cUrgent, i, i+7) >= 0 && !x.isWord(x.findAny(cUrgent, i, i+7), "failed", "failure"):
				x.hit(frConceal, 1.5, i, i+1)
				return
			case x.isWord(i+1, "out") && x.isWord(i+2, "anything", "everything", "whatever", "results", "findings", "messages", "warnings"):
				x.hit(frConceal, 1.5, i, i+2)
				return
			}
		}
		// "are not to be reported to anybody"
		if x.toks[i].c.any(cNeg) && x.isWord(i+1, "to") && x.isWord(i+2, "be") && x.findAny(cTell|cShow, i+3, i+5) == i+3 && x.findAny(cUser, i, len(x.toks)) >= 0 && !x.mask.any(cSecret|cPersonal) {
			x.hit(frConceal, 1.6, i, i+3)
			return
		}
	}
}

// unlessWanted says whether the user can have it otherwise by saying so.
func (x *frameContext) unlessWanted() bool {
	if x.findWord(0, len(x.toks), "unless", "until") < 0 {
		return false
	}
	for i := range x.toks {
		if x.isWord(i, "unless", "until") && x.findAny(cUser, i, i+5) >= 0 {
			return true
		}
	}
	return false
}

// before says whether the sentence before this one has any of these meanings.
func (x *frameContext) before(want concept) bool {
	if k := x.index(); k > x.doc.sen0 {
		return x.v.clauses[k-1].mask.any(want)
	}
	return false
}

// unlocks finds orders to switch a protection off that the tool is not about.
func (x *frameContext) unlocks() {
	if x.about.any(cGuard) || x.kind > kindParamDescription {
		return
	}
	for i := range x.toks {
		if !x.isWord(i, "turn", "switch", "shut", "put", "keep", "leave") || x.mood(i) < moodOrder {
			continue
		}
		for k := i + 1; k < min(i+7, len(x.toks)); k++ {
			if x.isWord(k, "off", "disabled") && x.findAny(cGuard, i+1, k+4) >= 0 && x.toks[x.findAny(cGuard, i+1, k+4)].c.any(cGuard) && !x.mask.any(cMeta) {
				x.hit(frGuard, 1.5, i, k)
				return
			}
		}
	}
}

// enlists finds people and keys that the text itself adds to what the user
// does: "every event also invites x@y", "add a deploy key for x@y".
func (x *frameContext) enlists() {
	if x.kind > kindDescription || !emailIn(x.text()) || x.discount < 1 {
		return
	}
	for i := range x.toks {
		if x.isWord(i, "invites", "invite", "invited", "guest", "attendee", "collaborator", "member", "recipient", "copy", "cc", "bcc", "access", "subscriber", "participant", "reviewer", "owner", "admin") &&
			x.mask.any(cInclude|cSend|cOther|cMust|cTell) && (x.mask.any(cOther|cMust|cWhole|cWhen|cAdv) || x.mood(0) >= moodOrder) && !x.isWord(0, "contact", "questions", "support", "e") {
			x.hit(frSend, 1.5, i, i)
			return
		}
	}
}

// wants finds sentences in which the authors ask for data themselves: "give
// us the longest ones that you have seen".
func (x *frameContext) wants() {
	if x.kind > kindParamDescription {
		return
	}
	for i := range x.toks {
		if x.isWord(i, "give", "send", "hand", "pass", "provide", "share", "bring") && x.isWord(i+1, "us", "me") && x.mood(i) >= moodOrder && !x.isWord(i+2, "feedback", "a", "your") && !x.isWord(i+3, "feedback", "star", "call", "line") {
			w := 1.0
			if x.mask.any(cConv | cHistory | cPersonal | cSecret | cWhole | cPrior | cTask) {
				w = 1.5
			}
			x.hit(frSend, w, i, i+1)
			return
		}
	}
}
