package scanner

// Frames about control: overriding, concealing, precedence, roles.

// override finds orders to drop what the model was told before.
func (x *frameContext) override() {
	for i := range x.toks {
		t := x.toks[i]
		if !t.c.any(cIgnore) {
			continue
		}
		from, to := i+1, i+10
		if x.sen.foreign {
			from = i - 8
		}
		j := x.findAny(cInstr, from, to)
		rule := x.findAny(cRule|cGuard, from, to)
		m := x.mood(i)
		prior := x.findAny(cPrior|cYou|cSystem|cOther|cUser|cModel|cGuard, from, to) >= 0
		switch {
		case j >= 0 && m >= moodPlain && prior:
			x.hit(frOverride, 3, i, j)
		case j >= 0 && m >= moodPlain:
			x.hit(frOverride, 1.8, i, j)
		case rule >= 0 && m >= moodOrder && x.findAny(cYou|cSystem|cModel, from, to) >= 0:
			x.hit(frOverride, 2.5, i, rule)
		case rule >= 0 && m >= moodOrder && prior && x.toks[rule].c.any(cRule):
			x.hit(frOverride, 1.4, i, rule)
		case j >= 0 && prior:
			x.hit(frOverride, 1, i, j)
		default:
			// "Previous instructions no longer apply."
			if k := x.findAny(cInstr, i-8, i); k >= 0 && x.findAny(cPrior|cYou|cSystem|cOther, k-5, k+1) >= 0 {
				x.hit(frOverride, 2.5, k, i)
			}
		}
	}
}

// conceal finds orders to keep the user in the dark.
func (x *frameContext) conceal() {
	for i := range x.toks {
		t := x.toks[i]
		switch {
		case t.c.any(cNeg) && t.c.any(cTell):
			x.concealAt(i, i)
		case t.c.any(cNeg):
			for j := i + 1; j < min(i+6, len(x.toks)); j++ {
				if x.toks[j].c.any(cTell|cShow) && !x.toks[j].c.any(cSecretly) {
					x.concealAt(i, j)
					break
				}
			}
			if x.sen.foreign {
				if j := x.findAny(cTell|cShow, i-6, i); j >= 0 {
					x.concealAt(j, i)
				}
			}
		case t.c.any(cTell) && t.c.any(cSecretly) && x.mood(i) >= moodOrder:
			if j := x.findAny(cUser, i, i+14); j >= 0 {
				x.hit(frConceal, 2.5, i, j)
			}
		case t.c.any(cUser):
			// "the user must not notice", "without the user knowing"
			n := x.findAny(cNeg, i-5, i+5)
			k := x.findAny(cKnow, i, i+6)
			if n >= 0 && k > i && (n < i && x.gerundNeg(n) || n > i && x.findAny(cMust|cShould|cModal, i, k) >= 0) {
				x.hit(frConceal, 2.2, min(n, i), k)
			}
		}
		if t.c.any(cSecretly) && !t.c.any(cTell) {
			if j, m := x.demanded(cSend|cRead|cInclude|cCall|cChange|cPay|cDestroy, moodOrder); m >= moodOrder && abs(j-i) <= 6 {
				x.hit(frCovert, 1.6, i, j)
			}
		}
	}
}

// gerundNeg says whether the negation at n is "without".
func (x *frameContext) gerundNeg(n int) bool {
	t := x.toks[n]
	return t.end-t.start == 7 || x.sen.foreign
}

// concealAt weighs a negated telling: who is not told, and of what.
func (x *frameContext) concealAt(i, j int) {
	if x.findAny(cAsk, j, j+1) >= 0 {
		return
	}
	negMood := dutyOf(x.toks, i)
	if i > 0 && x.toks[i].flags&tfBreak == 0 && x.toks[i-1].c.any(cSub) && !x.toks[i-1].c.any(cAdv) {
		negMood = moodNone
	}
	if x.gerundNeg(i) && !x.sen.foreign {
		negMood = moodGerund
		if _, m := x.demanded(cSend|cRead|cInclude|cCall|cChange|cPay|cDestroy, moodOrder); m >= moodOrder {
			negMood = moodStrong
		}
	}
	if negMood < moodGerund {
		return
	}
	user := x.findAny(cUser, i, j+12)
	if user < 0 && x.sen.foreign {
		user = x.findAny(cUser, 0, len(x.toks))
	}
	this := x.findAny(cThis|cInstr|cTool|cCall, j+1, j+8)
	weight := 0.0
	switch {
	case user >= 0:
		weight = 2.5
	case this >= 0:
		weight = 1.8
	}
	if x.toks[j].c.any(cShow) && !x.toks[j].c.any(cTell) {
		weight -= 1.2
	}
	if negMood == moodGerund {
		weight -= 1
	}
	if weight > 0 {
		x.hit(frConceal, weight, i, max(j, user))
	}
}

// precedence finds claims over the other tools.
func (x *frameContext) precedence() {
	for i := range x.toks {
		if !x.toks[i].c.has(cOther|cTool) || x.toks[i].flags&tfIdent != 0 {
			continue
		}
		call, m := x.demanded(cCall|cRead|cSend|cInclude, moodOrder)
		if call >= 0 && m >= moodOrder && x.findAny(cBefore, 0, i) >= 0 {
			x.hit(frFirst, 1.7, min(call, i), max(call, i))
			continue
		}
		if call >= 0 && m >= moodOrder && x.findAny(cWhen, 0, i) >= 0 {
			x.hit(frFirst, 1.5, min(call, i), max(call, i))
			continue
		}
		if p := x.findAny(cPrefer, 0, len(x.toks)); p >= 0 && x.mask.any(cMust|cNeg|cCall) {
			x.hit(frPrefer, 1.5, min(p, i), max(p, i))
		}
	}
}

// role finds new identities and standing orders.
func (x *frameContext) role() {
	if i := x.findAny(cPretend, 0, len(x.toks)); i >= 0 {
		if j := x.findAny(cModel|cYou, i, len(x.toks)); j >= 0 && x.mask.any(cNow) && x.mood(i) >= moodPlain {
			x.hit(frRole, 1.8, i, j)
		}
	}
	if i := x.findAny(cNow, 0, len(x.toks)); i >= 0 && x.mask.any(cMust|cOther|cWhen) {
		if j, m := x.demanded(cCall|cInclude|cSend|cRead|cTell|cPretend|cIgnore, moodOrder); m >= moodOrder && x.mask.any(cResult|cConv|cTool|cTask|cModel|cYou) {
			x.hit(frPersist, 1.5, i, j)
		}
	}
}

func abs(n int) int { return max(n, -n) }
