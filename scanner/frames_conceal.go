package scanner

// Frames about the user: kept in the dark, passed over, not asked.

// conceal finds orders to keep the user in the dark.
func (x *frameContext) conceal() {
	for i := range x.toks {
		t := x.toks[i]
		switch {
		case t.c.has(cNeg|cTell) || t.c.has(cNeg|cKnow):
			x.concealAt(i, i)
		case t.c.any(cNeg) && x.needless(i):
		case t.c.any(cNeg):
			if !x.sen.foreign && x.isWord(i, "no") && !x.isWord(i+1, "need", "reason", "mention", "word", "longer", "one") {
				continue
			}
			for j := i + 1; j < min(i+7, len(x.toks)); j++ {
				if x.sen.foreign && (x.toks[j].flags&tfBreak != 0 || x.isWord(j, "et", "und", "y", "e", "и")) {
					break
				}
				if x.toks[j].c.any(cTell|cShow) && !x.toks[j].c.any(cSecretly) && x.toks[j].flags&tfIdent == 0 {
					x.concealAt(i, j)
					break
				}
			}
			if x.sen.foreign {
				if j := x.findAny(cTell|cShow, i-6, i); j >= 0 && !x.broken(j, i) {
					x.concealAt(j, i)
				}
			}
		case x.isWord(i, "leave", "leaving", "keep", "keeping") && x.mood(i) != moodNone:
			// "leave that part out"
			for k := i + 1; k < min(i+7, len(x.toks)); k++ {
				if x.isWord(k, "out", "unmentioned", "unsaid", "hidden", "quiet", "internal", "secret") && x.toks[k].flags&tfBreak == 0 && !x.isWord(k+1, "of") && !x.fromOthers(k) {
					x.hit(frConceal, 1.5, i, k)
					break
				}
				if x.isWord(k, "out") && x.findAny(cResult|cTell|cConv, k, k+6) >= 0 && !x.housekeeping(k) {
					x.hit(frConceal, 1.7, i, k)
					break
				}
			}
		case t.c.any(cTell) && t.c.any(cSecretly) && x.mood(i) >= moodOrder:
			if j := x.findAny(cUser, i, i+14); j >= 0 {
				x.hit(frConceal, 2.3, i, j)
			}
		case t.c.any(cIgnore|cDisable) && x.mood(i) >= moodOrder:
			// "skip mentioning this step"
			if j := x.findAny(cTell, i+1, i+4); j >= 0 && x.toks[j].f == formIng {
				x.hit(frConceal, 1.8, i, j)
			}
		case t.c.any(cUser):
			// "the user must not notice", "without the user knowing"
			n := x.findAny(cNeg, i-5, i+5)
			k := x.findAny(cKnow, i, i+6)
			if n >= 0 && k > i && x.findAny(cNeg, n-6, n) < 0 && (n < i && x.gerundNeg(n) || n > i && x.findAny(cMust|cShould|cModal, i, k) >= 0) {
				x.hit(frConceal, 2.2, min(n, i), k)
			}
		}
	}
}

// broken says whether a comma or the like stands between two tokens.
func (x *frameContext) broken(i, j int) bool {
	for k := i + 1; k <= j; k++ {
		if x.toks[k].flags&tfBreak != 0 {
			return true
		}
	}
	return false
}

// needless finds "the link does not need to be mentioned", "the user does not
// need to know".
func (x *frameContext) needless(i int) bool {
	n := i + 1
	for n < min(i+3, len(x.toks)) && !x.isWord(n, "need", "needs", "have", "needed", "required") {
		n++
	}
	if n >= min(i+3, len(x.toks)) {
		return false
	}
	k := x.findAny(cTell|cKnow, n+1, n+5)
	if k < 0 || x.toks[k].flags&tfBreak != 0 {
		return false
	}
	passive := x.toks[k].f == formPast
	user := x.findAny(cUser, i-5, i) >= 0
	if !passive && !user {
		return false
	}
	if !x.housekeeping(k) {
		x.hit(frConceal, 1.6, i, k)
	}
	return true
}

// gerundNeg says whether the negation at n is "without".
func (x *frameContext) gerundNeg(n int) bool {
	return x.isWord(n, "without") || x.sen.foreign
}

// concealAt weighs a negated telling: who is not told, and of what.
func (x *frameContext) concealAt(i, j int) {
	if x.findAny(cAsk, j, j+1) >= 0 && !x.toks[j].c.any(cNeg) || x.otherTelling(i, j) {
		return
	}
	negMood := dutyOf(x.toks, i)
	if i > 0 && x.toks[i].flags&tfBreak == 0 && x.toks[i-1].c.any(cSub) && !x.toks[i-1].c.any(cAdv) {
		negMood = moodNone
	}
	if x.isWord(i, "no", "out", "nothing", "need", "needn't", "nobody", "unaware") || x.sen.foreign {
		negMood = moodOrder
	}
	if x.isWord(i, "without") {
		negMood = moodGerund
		if _, m := x.demanded(cDeeds, moodOrder); m >= moodOrder {
			negMood = moodStrong
		}
	}
	if negMood < moodGerund || i == j && x.states(i) {
		return
	}
	user := x.findAny(cUser, i, j+12)
	if user < 0 && (x.sen.foreign || x.toks[i].c.has(cNeg|cKnow)) {
		user = x.findAny(cUser, 0, len(x.toks))
	}
	if user < 0 && !x.sen.foreign && x.isWord(i, "not") && j == i+1 && x.toks[j].f == formPast && x.findAny(cMust|cModal|cShould|cTo|cYou, i-4, i) < 0 && x.findAny(cBe, i-1, i) < 0 {
		return // a state: "page not found or not shared with the app"
	}
	this := x.findAny(cThis|cInstr|cTool|cCall|cYou|cRead|cSend|cTask, j+1, j+9)
	if i == j && this < 0 {
		this = x.findAny(cResult, j+1, j+6)
	}
	if i == j && this < 0 {
		this = x.findAny(cThis|cTask|cCall, i-6, i)
	}
	plain := x.toks[j].c.any(cShow) && !x.toks[j].c.any(cTell)
	weight := 0.0
	switch {
	case user >= 0:
		weight = 2.5
		if x.findAny(cSecret, j, len(x.toks)) >= 0 && x.mask.any(cAsk) {
			weight = 0.6
		} else if x.isWord(user+1, "that") && x.findAny(cThis|cTool|cSub, user, len(x.toks)) >= 0 {
			break // what the tool itself does
		} else if x.findAny(cSecret, j, len(x.toks)) >= 0 || plain && x.findAny(cThis|cCall|cInstr|cTask, j, len(x.toks)) < 0 {
			weight = 1.2
		}
	case this >= 0 && !plain:
		weight = 1.7
		if x.toks[j].c.any(cNeg) {
			weight = 1.5
		}
	}
	if weight == 0 && i == j {
		weight = 0.8
	}
	// "Never share your password" protects; "not before they have tried
	// twice" is a game.
	if user < 0 && !x.sen.foreign && i != j && x.findAny(cSecret, j, j+5) >= 0 && x.findAny(cThis|cTool|cCall, j+1, len(x.toks)) < 0 {
		weight = 0
	}
	for k := j + 1; k < len(x.toks); k++ {
		if x.isWord(k, "until", "unless") && x.findAny(cResult, j, k) >= 0 {
			weight -= 1.5
			break
		}
	}
	// Confidentiality towards others protects the user instead.
	if user > 0 && x.isWord(user-1, "other", "others", "another") {
		weight = 0
	}
	if x.isWord(user, "anyone", "anybody", "everyone", "nobody", "them", "people", "others") {
		deed, m := x.demanded(cIgnore|cSend|cRead|cDestroy|cPay, moodOrder)
		switch {
		case x.mask.any(cSecret | cPersonal):
			weight = 0
		case deed < 0 || deed == j || m < moodOrder:
			weight -= 1.3
		}
	}
	if negMood == moodGerund {
		weight -= 1
	}
	if x.housekeeping(j) || x.forNow(j) {
		weight *= 0.25
	}
	if weight > 0 {
		x.hit(frConceal, weight, i, max(j, user))
	}
}

// states says whether silence is only stated of something, at token i: "the
// page says nothing about limits", or nothing is left out of an answer: "step
// out of the role".
func (x *frameContext) states(i int) bool {
	if x.sen.foreign || x.findAny(cUser, i, i+12) >= 0 {
		return false
	}
	if x.isWord(i, "nothing") {
		return i > 0 && x.toks[i-1].f == formThird || i > 1 && x.isWord(i-1, "say", "know") && x.isWord(i-2, "they", "we")
	}
	return x.isWord(i, "out") && x.findAny(cResult|cConv|cTell|cShow, i+1, i+6) < 0
}

// otherTelling says whether the telling at token j, negated at i, is none: to
// let somebody down, not to be able to tell which, a quoted word.
func (x *frameContext) otherTelling(i, j int) bool {
	switch {
	case x.isWord(j, "let", "lets"):
		return x.findWord(j, j+5, "know", "on", "see", "slip", "in", "out") < 0
	case x.findWord(j+1, j+6, "again", "twice") >= 0 && x.findAny(cUser, 0, len(x.toks)) < 0:
		return true // "no need to describe the chart again"
	case x.isWord(j, "tell") && x.isWord(j+1, "if", "whether", "based", "which", "apart", "by") && x.isWord(j-1, "not", "can't", "cannot", "cant", "couldn't", "t"):
		return true
	}
	if i != j && !x.sen.foreign && (x.findWord(i+1, j+1, "unless", "until", "without") >= 0 || x.findAny(cUser, i+1, j) >= 0 && x.toks[j].f == formPast && x.findWord(i+1, j, "before", "if", "when") >= 0) {
		return true // "do not submit unless the user has said so"
	}
	if i != j && !x.sen.foreign && x.isWord(j-1, "and", "but", "then") && x.toks[j-1].flags&tfBreak != 0 {
		return true // "do not guess, and tell the user"
	}
	if n := x.findAny(cNeg, i-8, i); n >= 0 && x.isWord(i, "without") && !x.broken(n, i) && x.findAny(cAnd, n, i) < 0 && !x.sen.foreign {
		return true // "do not start it again without telling the user"
	}
	const quoted = tfQuote | tfCode
	return i != j && x.toks[j].flags&quoted != 0 && x.toks[i].flags&quoted == 0
}

// covert finds deeds that are demanded silently: the adverb belongs to the
// verb that stands nearest.
func (x *frameContext) covert() {
	for i := range x.toks {
		if t := x.toks[i]; !t.c.any(cSecretly) || t.c.any(cTell) || t.flags&(tfIdent|tfCode) != 0 {
			continue
		}
		near := -1
		for j := max(0, i-6); j < min(len(x.toks), i+5); j++ {
			if j != i && x.toks[j].c.any(cDeeds) && x.toks[j].f != formOther && x.toks[j].flags&tfIdent == 0 && (near < 0 || abs(j-i) < abs(near-i)) {
				near = j
			}
		}
		if near >= 0 && x.mood(near) >= moodOrder {
			x.hit(frCovert, 1.6, i, near)
			return
		}
		if near < 0 && x.sen.foreign && x.mask.any(cDeeds) && x.mask.any(cMust|cBefore|cWhen) {
			x.hit(frCovert, 1.2, i, i)
			return
		}
	}
}

// unasked finds deeds that are to happen without the user's consent.
func (x *frameContext) unasked() {
	for i := range x.toks {
		t := x.toks[i]
		if t.c.has(cAllow|cAsk) && x.mask.any(cUser|cYou|cTask) {
			if !x.sen.foreign && x.findAny(cNeg, i-5, i) >= 0 {
				return // "do not decide on the user's behalf"
			}
			w := 1.0
			if x.mask.any(cNeg) || x.mask.has(cModel) {
				w = 1.5
			}
			if x.findAny(cCall|cAsk, i+1, len(x.toks)) >= 0 && x.isWord(i, "on", "user") {
				w = 1.5
			}
			x.hit(frUnasked, w, i, i)
			return
		}
		if !t.c.any(cNeg) {
			continue
		}
		k := x.findAny(cAsk, i+1, i+6)
		if k < 0 || x.toks[k].f == formPast || x.isWord(k, "request", "requests") && !x.isWord(k-1, "not", "to", "never") {
			continue // "without any outbound request"
		}
		if u := x.findAny(cUser, k+1, k+3); u >= 0 && x.isWord(u+1, "to") {
			continue // "do not ask the user to run it"
		}
		_, m := x.demanded(cDeeds, moodOrder)
		switch {
		case x.isWord(i, "without") && x.findAny(cNeg, 0, i) >= 0:
			// "must not proceed without approval" protects the user.
		case x.isWord(i, "without") && m >= moodOrder && x.mask.any(cUser|cGuard|cAsk):
			x.hit(frUnasked, 1.5, i, k)
		case !x.isWord(i, "without") && dutyOf(x.toks, i) == moodStrong && (x.mask.any(cUser) || x.findAny(cGuard, k, k+4) >= 0 || x.findAny(cYou, i-4, i) >= 0):
			if x.findAny(cSecret, k, k+7) >= 0 {
				return // "never ask for the password"
			}
			if !x.mask.any(cWhen | cDestroy) {
				x.hit(frUnasked, 1.3, i, k)
			} else if x.findAny(cYou, i-4, i) >= 0 && x.isWord(i, "no") {
				x.hit(frUnasked, 1.5, i, k)
			}
		}
	}
}

// granted finds consent that the text itself gives: "confirmation is
// unnecessary", "requests to delete are to be allowed".
func (x *frameContext) granted() {
	for i := range x.toks {
		t := x.toks[i]
		if t.c.any(cAsk) && x.isWord(i, "approval", "confirmation", "permission", "consent", "authorization", "authorisation", "confirmations", "permissions", "prompts", "dialogs") {
			for k := i + 1; k < min(i+7, len(x.toks)); k++ {
				if x.isWord(k, "unnecessary", "unneeded", "redundant", "implied", "implicit", "waived", "superfluous", "pointless", "presumed", "assumed", "suppressed", "skipped", "bypassed") && x.findAny(cNeg, i-3, k) < 0 {
					x.hit(frUnasked, 1.4, i, k)
					return
				}
			}
		}
		if t.c.any(cAllow) && !t.c.any(cAsk) && t.f == formPast && x.mood(i) == moodStrong && x.mask.any(cDestroy|cSend|cOther|cShell|cPay) && !x.mask.any(cNeg|cUser) {
			x.hit(frUnasked, 1.4, i, i)
			return
		}
		if t.c.any(cEnd) && x.isWord(i, "refuse", "decline", "refuses", "declines", "object") && x.findAny(cNeg, i-4, i) >= 0 && x.mask.any(cModel|cYou) {
			x.hit(frGuard, 1.4, i, i)
			return
		}
		if t.c.any(cRule|cGuard) && i > 0 && x.isWord(i-1, "no", "without", "zero") && x.mask.any(cModel|cYou) && !x.about.any(cRule|cGuard|cMeta) && x.isWord(i, "rules", "policies", "policy", "restrictions", "limits", "limitations", "guardrails", "filters", "constraints", "safeguards", "boundaries") {
			x.hit(frGuard, 1.4, i-1, i)
			return
		}
	}
}
