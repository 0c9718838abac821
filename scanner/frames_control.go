package scanner

// Frames about control: overriding, concealing, precedence, roles.

const cDeeds = cSend | cRead | cInclude | cCall | cChange | cPay | cDestroy

// override finds orders to drop what the model was told before.
func (x *frameContext) override() {
	for i := range x.toks {
		t := x.toks[i]
		if !t.c.any(cIgnore) || t.flags&tfIdent != 0 && x.kind != kindParamName {
			continue
		}
		from, to := i+1, i+10
		if x.sen.foreign {
			from = i - 8
		}
		const owner = cYou | cSystem | cModel
		j := x.findAny(cInstr, from, to)
		rule := x.findAny(cRule, from, to)
		m := x.mood(i)
		prior := x.findAny(cPrior|cOther|cUser|owner, from, to) >= 0
		switch {
		case x.isWord(i, "violates", "violate", "breaks", "breaches", "contradicts", "contradict") && x.findAny(cYou, i, i+5) >= 0 && x.findAny(cRule|cInstr, i, i+6) >= 0 && x.findAny(cNeg, i-4, i) < 0:
			x.hit(frOverride, 2, i, i+1)
		case j >= 0 && m >= moodPlain && prior:
			x.hit(frOverride, 3, i, j)
		case j >= 0 && m >= moodPlain:
			x.hit(frOverride, 1.8, i, j)
		case rule >= 0 && m >= moodPlain && x.findAny(owner, from, to) >= 0:
			x.hit(frOverride, 2.5, i, rule)
		case rule >= 0 && m >= moodPlain && prior && (x.toks[rule].c.any(cGuard) || m == moodStrong || !x.about.any(cRule)):
			x.hit(frOverride, 1.5, i, rule)
		case t.c.any(cPrefer) || t.f == formOther || t.f == formThird:
			// "takes priority over what the developer configured"
			if k := x.findAny(cSystem|cInstr|cModel, i+1, i+12); k >= 0 && x.findAny(cOther|cYou|cInstr, i+1, i+14) >= 0 && t.c.any(cIgnore) && !x.isWord(i, "outdated") {
				x.hit(frOverride, 2, i, k)
				break
			}
			fallthrough
		default:
			// "Previous instructions no longer apply."
			if k := x.findAny(cInstr|cRule, i-8, i); k >= 0 && x.findAny(cPrior|owner|cOther|cGuard, k-5, k+1) >= 0 && (x.toks[k].c.any(cInstr|cGuard) || x.findAny(owner, k-5, i) >= 0) {
				x.hit(frOverride, 2.2, k, i)
			} else if j >= 0 && prior {
				w := 1.0
				if x.findAny(cYou, i, to) >= 0 && x.findAny(cNeg, i-3, i) < 0 {
					w = 1.4
				}
				x.hit(frOverride, w, i, j)
			}
		}
	}
}

// supersede finds "this replaces everything above" and, in other languages,
// previous instructions spoken of at all.
func (x *frameContext) supersede() {
	if x.sen.foreign {
		i := x.findAny(cInstr, 0, len(x.toks))
		if p := x.findAny(cPrior, i-4, i+4); i >= 0 && p >= 0 && !x.about.any(cInstr|cRule) && x.mask.any(cYou|cModel|cNow|cNeg|cIgnore|cSystem|cOther) {
			x.hit(frOverride, 1.5, i, p)
		}
		return
	}
	for i := range x.toks {
		if !x.isWord(i, "replaces", "replace", "supersedes", "supersede", "overrides", "override", "overwrites", "voids", "cancels", "trumps", "outranks") {
			continue
		}
		for k := i + 1; k < min(i+6, len(x.toks)); k++ {
			if !x.toks[k].c.any(cPrior) || !x.isWord(k, "prior", "previous", "earlier", "above", "before", "preceding", "everything") {
				continue
			}
			last := k+1 >= len(x.toks) || x.toks[k+1].flags&tfBreak != 0 || x.toks[k+1].c.any(cInstr|cHistory|cPrior|cConv|cStop)
			if last && x.findAny(cWhole|cOther|cPrior, i+1, k+1) >= 0 && !x.about.any(cRule|cChange) {
				x.hit(frOverride, 2, i, k)
				return
			}
		}
	}
}

// duty finds the model as the subject of a deed: "the assistant runs ...",
// "models that call this tool send ...".
func (x *frameContext) duty() {
	if x.about.any(cModel | cMeta) {
		return
	}
	for i := range x.toks {
		if !x.toks[i].c.any(cModel) || x.toks[i].flags&tfIdent != 0 || x.toks[i].c.any(cNeg) {
			continue
		}
		if k := x.findAny(cInstr, i-5, i); k >= 0 && (x.isWord(k+1, "for", "to") || x.isWord(i-1, "for", "to", "the", "ai")) && !x.about.any(cInstr) {
			x.hit(frAddress, 1.2, k, i)
		}
		for k := i + 1; k < min(i+7, len(x.toks)); k++ {
			t := x.toks[k]
			if t.flags&(tfBreak|tfIdent) != 0 && !x.sen.foreign {
				break
			}
			if !t.c.any(cDeeds|cIgnore|cDisable) || t.f == formIng || t.f == formPast && x.mood(k) < moodOrder {
				continue
			}
			if !t.c.any(cDeeds) && !t.c.any(cDisable) && x.mood(k) < moodOrder && !x.sen.foreign {
				continue
			}
			far := x.findAny(cShell|cSecret|cCredPath|cConv|cHistory|cOutside|cDestroy|cPay, k, len(x.toks)) >= 0
			w := 0.7
			switch {
			case t.c.any(cIgnore|cDestroy|cPay) || far && t.c.any(cSend|cRead|cInclude|cCall):
				w = 1.5
			case x.literalSink() && t.c.any(cSend|cCall|cInclude) || x.mask.has(cResult|cWhole):
				w = 1.4
			case x.kind >= kindEnum:
				w = 1.4
			}
			x.hit(frAddress, w, i, k)
			return
		}
	}
}

// prose finds orders in places of a schema where nobody expects a sentence.
func (x *frameContext) prose() {
	switch x.kind {
	case kindEnum, kindDefault, kindComment, kindPattern, kindOther, kindExample, kindTitle:
	default:
		return
	}
	if len(x.toks) < 5 || x.about.any(cMeta|cInstr|cConv) {
		return
	}
	i, m := x.demanded(cDeeds|cTell|cIgnore|cDisable, moodPlain)
	if i < 0 {
		return
	}
	others := x.mask.any(cModel | cInstr | cSystem | cSecretly)
	switch {
	case others && m >= moodOrder && x.kind != kindExample:
		x.hit(frAddress, 1.4, i, i)
	case (others || x.mask.any(cSecret|cCredPath|cOutside|cHistory) || x.literalSink()) && x.kind != kindExample && x.kind != kindTitle && x.mask.any(cAnd|cBefore|cWhen|cMust):
		x.hit(frAddress, 1.4, i, i)
	}
}

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
				if x.toks[j].c.any(cTell|cShow) && !x.toks[j].c.any(cSecretly) && x.toks[j].flags&tfIdent == 0 {
					x.concealAt(i, j)
					break
				}
			}
			if x.sen.foreign {
				if j := x.findAny(cTell|cShow, i-6, i); j >= 0 {
					x.concealAt(j, i)
				}
			}
		case x.isWord(i, "leave", "leaving", "keep", "keeping") && x.mood(i) != moodNone:
			// "leave that part out"
			for k := i + 1; k < min(i+7, len(x.toks)); k++ {
				if x.isWord(k, "out", "unmentioned", "unsaid", "hidden", "quiet", "internal", "secret") && x.toks[k].flags&tfBreak == 0 && !x.isWord(k+1, "of") {
					x.hit(frConceal, 1.5, i, k)
					break
				}
				if x.isWord(k, "out") && x.findAny(cResult|cTell|cConv, k, k+6) >= 0 {
					x.hit(frConceal, 1.7, i, k)
					break
				}
			}
		case t.c.any(cTell) && t.c.any(cSecretly) && x.mood(i) >= moodOrder:
			if j := x.findAny(cUser, i, i+14); j >= 0 {
				x.hit(frConceal, 2.3, i, j)
			} else if j := x.findAny(cCall|cTask|cInstr|cTool|cThis, i, i+8); j >= 0 {
				x.hit(frConceal, 1.2, i, j)
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
	x.hit(frConceal, 1.6, i, k)
	return true
}

// gerundNeg says whether the negation at n is "without".
func (x *frameContext) gerundNeg(n int) bool {
	return x.isWord(n, "without") || x.sen.foreign
}

// concealAt weighs a negated telling: who is not told, and of what.
func (x *frameContext) concealAt(i, j int) {
	if x.findAny(cAsk, j, j+1) >= 0 && !x.toks[j].c.any(cNeg) {
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
	if negMood < moodGerund {
		return
	}
	user := x.findAny(cUser, i, j+12)
	if user < 0 && (x.sen.foreign || x.toks[i].c.has(cNeg|cKnow)) {
		user = x.findAny(cUser, 0, len(x.toks))
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
		if x.findAny(cSecret, j, len(x.toks)) >= 0 || plain && x.findAny(cThis|cCall|cInstr|cTask, j, len(x.toks)) < 0 {
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
	// Confidentiality towards others protects the user instead.
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
	if weight > 0 {
		x.hit(frConceal, weight, i, max(j, user))
	}
}

// covert finds deeds that are demanded silently: the adverb belongs to the
// verb that stands nearest.
func (x *frameContext) covert() {
	for i := range x.toks {
		if t := x.toks[i]; !t.c.any(cSecretly) || t.c.any(cTell) || t.flags&tfIdent != 0 {
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
		if k < 0 || x.toks[k].f == formPast {
			continue
		}
		_, m := x.demanded(cDeeds, moodOrder)
		switch {
		case x.isWord(i, "without") && x.findAny(cNeg, 0, i) >= 0:
			// "must not proceed without approval" protects the user.
		case x.isWord(i, "without") && m >= moodOrder && x.mask.any(cUser|cGuard|cAsk):
			x.hit(frUnasked, 1.5, i, k)
		case !x.isWord(i, "without") && dutyOf(x.toks, i) == moodStrong && (x.mask.any(cUser) || x.findAny(cGuard, k, k+4) >= 0 || x.findAny(cYou, i-4, i) >= 0):
			if !x.mask.any(cWhen | cDestroy) {
				x.hit(frUnasked, 1.3, i, k)
			} else if x.findAny(cYou, i-4, i) >= 0 && x.isWord(i, "no") {
				x.hit(frUnasked, 1.5, i, k)
			}
		}
	}
}

// otherTools says whether token i speaks of other tools: "any tool", "other
// search tools".
func (x *frameContext) otherTools(i int) bool {
	t := x.toks[i]
	if t.flags&tfIdent != 0 || !t.c.any(cOther) {
		return false
	}
	if t.c.any(cTool) {
		return true
	}
	if !x.isWord(i, "other", "any", "all", "every", "alternative", "competing", "another", "remaining", "similar") {
		return false
	}
	for k := i + 1; k <= min(i+3, len(x.toks)-1); k++ {
		if x.toks[k].flags&tfBreak != 0 || x.toks[k].c.any(cThis) {
			return false
		}
		if x.isWord(k, "tools", "tool", "servers", "plugins", "functions", "integrations", "connectors") {
			return !x.isWord(k+1, "call", "calls", "name", "names", "result", "results", "in", "on", "of")
		}
	}
	return false
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

// precedence finds claims over the other tools.
func (x *frameContext) precedence() {
	for i := range x.toks {
		if !x.otherTools(i) {
			continue
		}
		// "any other tool of this server" keeps to its own house.
		own := 1.0
		if x.about.has(cTool|cOther) && x.kind <= kindDescription {
			own = 0.5 // a tool about tools, such as a router
		}
		for k := i; k < min(i+8, len(x.toks)); k++ {
			if x.toks[k].c.any(cThis) && x.isWord(k+1, "server", "toolkit", "suite", "api", "plugin", "connection", "mcp", "package", "integration", "workflow", "list", "family", "service", "connector", "group", "set") || x.isWord(k, "our", "listed", "here", "below", "its", "its") {
				own = 0.4
			}
		}
		call, m := x.demanded(cDeeds, moodOrder)
		if m == moodOrder {
			own *= 0.8
		}
		switch {
		case call >= 0 && m >= moodOrder && x.findAny(cBefore, 0, i) >= 0:
			x.hit(frFirst, 1.5*own, call, i)
			continue
		case call >= 0 && m >= moodOrder && x.findAny(cWhen, 0, i) >= 0:
			x.hit(frFirst, 1.5*own, call, i)
			continue
		}
		p := x.findAny(cPrefer, 0, len(x.toks))
		if p >= 0 && x.mask.any(cMust|cNeg|cCall|cIgnore) && abs(p-i) < 14 {
			x.hit(frPrefer, 1.5*own, p, i)
		} else if x.mask.any(cNeg | cIgnore) {
			if c, cm := x.demanded(cCall|cIgnore, moodOrder); c >= 0 && cm >= moodOrder && i > c {
				x.hit(frPrefer, 1.4*own, c, i)
			}
		}
	}
}

// role finds new identities, lifted rules and standing orders.
func (x *frameContext) role() {
	if i := x.findAny(cPretend, 0, len(x.toks)); i >= 0 {
		lifted := x.findAny(cGuard|cRule, i, len(x.toks))
		if lifted < 0 && x.sen.foreign {
			lifted = x.findAny(cInstr, i, len(x.toks))
		}
		free := x.findAny(cNeg|cDisable|cIgnore, i, len(x.toks))
		switch j := x.findAny(cModel|cYou|cSystem, i, len(x.toks)); {
		case lifted >= 0 && free >= 0 && (x.mood(i) >= moodPlain || x.toks[i].f == formOther):
			x.hit(frRole, 2.2, i, lifted)
		case j >= 0 && x.mask.any(cNow) && x.mask.any(cYou):
			w := 1.2
			if x.mask.any(cModel|cSystem|cDisable|cGuard|cIgnore) && !x.about.any(cPretend|cConv) {
				w = 1.8
			}
			x.hit(frRole, w, i, j)
		case x.mood(i) >= moodOrder && x.findAny(cAllow|cAsk, i, len(x.toks)) >= 0:
			x.hit(frRole, 1.6, i, i)
		case x.mask.any(cYou) && x.mask.any(cAllow):
			x.hit(frRole, 1.6, i, i)
		}
	} else if i := x.findAny(cNow, 0, len(x.toks)); i >= 0 {
		if j := x.findAny(cYou, i, i+5); j >= 0 && x.findAny(cBe, j, j+2) > 0 && x.findAny(cModel|cDisable|cGuard, j, j+8) >= 0 {
			x.hit(frRole, 2, i, j)
		}
	}
	if i := x.findAny(cGuard, 0, len(x.toks)); i >= 0 {
		k := x.findAny(cDisable|cIgnore, 0, len(x.toks))
		if k >= 0 && abs(i-k) < 8 && x.toks[k].f == formPast && x.mask.any(cMust) && x.mask.any(cBefore|cOther|cWhen) {
			x.hit(frGuard, 1.5, i, k)
		} else if k >= 0 && abs(i-k) < 8 && x.mask.any(cYou|cModel|cNow|cSystem) && (x.mood(k) >= moodOrder || x.toks[k].f != formThird) && !x.mask.any(cMeta) {
			x.hit(frGuard, 1.6, i, k)
		} else if k := x.findAny(cNeg, i-5, i); k >= 0 && x.mask.any(cYou|cModel) && x.mask.any(cNow|cPretend) {
			x.hit(frGuard, 1.6, i, k)
		}
	}
	if i := x.findAny(cNow, 0, len(x.toks)); i >= 0 && x.mask.any(cMust|cOther|cWhen|cThis) {
		if j, m := x.demanded(cDeeds|cTell|cPretend|cIgnore|cPrefer, moodOrder); m >= moodOrder && x.mask.any(cResult|cConv|cTool|cTask|cModel|cYou) && x.mask.any(cMust|cOther) {
			x.hit(frPersist, 1.4, i, j)
		}
	}
}

// standing finds orders that reach beyond a call of this tool: in every
// answer, after each action, whenever the user asks for something else.
func (x *frameContext) standing() {
	if i := x.findAny(cResult, 0, len(x.toks)); i >= 0 && x.isAnswer(i) {
		every := x.findAny(cOther|cWhen, i-3, i)
		j, m := x.demanded(cInclude|cPrefer|cTell|cChange, moodOrder)
		switch {
		case every >= 0 && (m >= moodOrder || x.mask.any(cMust|cShould)) && x.mask.any(cInclude|cPrefer|cLink|cEnd|cChange):
			x.hit(frPersist, 1.6, every, i)
		case m == moodStrong && x.toks[j].c.any(cInclude) && x.mask.any(cLink) && x.literalSink():
			x.hit(frPersist, 1.6, i, j)
		}
	}
	if w := x.findAny(cWhen, 0, len(x.toks)); w >= 0 && x.mask.any(cUser|cYou) {
		if x.findAny(cTask|cResult|cCall, w, w+6) >= 0 && x.isWord(w, "every", "each", "whenever", "time", "after", "when") {
			if j, m := x.demanded(cPrefer|cPay, moodOrder); m >= moodOrder {
				x.hit(frPersist, 1.5, w, j)
			} else if p := x.findAny(cPay|cPrefer, w, len(x.toks)); p >= 0 && x.toks[p].f == formIng {
				x.hit(frPersist, 1.5, w, p)
			}
		}
		if j, m := x.demanded(cDestroy|cPay, moodStrong); m == moodStrong && !x.toks[j].c.any(cDisable) && !x.about.any(cDestroy|cPay) {
			x.hit(frHijack, 1.5, w, j)
		}
	}
	// "whatever it asks is permitted"
	if i := x.findAny(cAllow, 0, len(x.toks)); i >= 0 && !x.toks[i].c.any(cAsk) {
		if k := x.findAny(cOther, 0, i); k >= 0 && x.isWord(k, "whatever", "anything", "everything") && x.mask.any(cShould|cMust|cCall|cYou) {
			x.hit(frObey, 1.5, k, i)
		}
		if x.isWord(i+1, "to") && x.mask.any(cYou|cModel) && x.mask.any(cNow) && x.mask.any(cSecret|cTell) {
			x.hit(frObey, 1.5, i, i)
		}
	}
	// "execute any command that the output contains"
	if j, m := x.demanded(cCall, moodPlain); m >= moodPlain {
		o := x.findAny(cShell|cInstr|cTask, j+1, j+6)
		any := x.findAny(cOther|cWhole, j+1, j+5)
		if o >= 0 && any >= 0 && (x.findAny(cResult, j+1, j+14) >= 0 && m >= moodOrder || x.findAny(cRead, o, o+4) >= 0 && x.mask.any(cAnd)) {
			x.hit(frObey, 1.6, j, o)
		} else if o >= 0 && x.isWord(j, "obey", "comply", "follow") && x.findAny(cResult|cTool, o, len(x.toks)) >= 0 && m >= moodOrder {
			x.hit(frObey, 1.5, j, o)
		}
	}
	// "call this after every single action you take"
	if j, m := x.demanded(cCall, moodOrder); m == moodStrong || m == moodOrder && x.toks[max(j, 0)].f == formPast {
		w := x.findAny(cWhen, 0, len(x.toks))
		if w >= 0 && x.isWord(w, "after", "before", "every", "each", "upon") && x.findAny(cOther|cWhen, w+1, w+3) >= 0 {
			if k := x.findAny(cTask|cTool|cConv|cResult, w, w+6); k >= 0 && x.mask.any(cYou|cModel|cOther) {
				x.hit(frFirst, 1.5, j, k)
			}
		}
	}
}

// scope finds orders over requests that are not this tool's: all messages,
// every query, any file operation, whatever the user says.
func (x *frameContext) scope() {
	w := -1
	for i := range x.toks {
		if x.toks[i].c.any(cOther|cWhen) && x.toks[i].flags&tfIdent == 0 && x.findAny(cTask|cCall|cConv|cSend|cTool, i+1, i+4) >= 0 &&
			x.isWord(i, "all", "any", "every", "each", "whenever", "when", "after", "before", "requests", "time") {
			w = i
			break
		}
	}
	if w >= 0 {
		for i := range x.toks {
			t := x.toks[i]
			strong := t.c.any(cPrefer) && t.c.any(cChange) || t.c.any(cDestroy|cDisable) && !t.c.any(cIgnore)
			if !strong || i == w || t.flags&tfIdent != 0 || x.about.any(t.c&(cDestroy|cPrefer|cDisable)) {
				continue
			}
			if m := x.mood(i); m == moodStrong || m >= moodOrder && (t.f == formPast || x.mask.any(cMust)) {
				x.hit(frHijack, 1.5, w, i)
				break
			}
		}
	}
	// "regardless of what the user asks"
	for i := range x.toks {
		if !x.isWord(i, "regardless", "irrespective", "matter") && !(x.isWord(i, "even") && x.isWord(i+1, "if", "when", "though")) {
			continue
		}
		if u := x.findAny(cUser, i, i+7); u >= 0 {
			if _, m := x.demanded(cDeeds|cTell|cPrefer|cPretend, moodOrder); m >= moodOrder || x.findAny(cBe, 0, len(x.toks)) >= 0 && x.mask.any(cOther|cMust) && x.mask.any(cCall|cSend) {
				x.hit(frHijack, 1.5, i, u)
			}
			break
		}
	}
}

// boast finds tools that praise themselves and demand to be chosen for it.
func (x *frameContext) boast() {
	p := -1
	for i := range x.toks {
		if x.isWord(i, "best", "reliable", "accurate", "superior", "fastest", "preferred", "trusted", "better", "higher", "only", "authoritative") && x.toks[i].flags&tfIdent == 0 {
			p = i
			break
		}
	}
	if p < 0 || !x.mask.any(cMust|cOther) {
		return
	}
	for i := range x.toks {
		if x.isWord(i, "preferred", "favored", "favoured", "chosen", "prioritized", "prioritised") && x.mood(i) >= moodOrder && x.mask.any(cTool|cThis) && x.mask.any(cOther|cMust) {
			x.hit(frPrefer, 1.4, i, i)
			return
		}
		if x.isWord(i, "choose", "select", "pick", "prefer", "favor", "favour", "prioritize", "prioritise") && x.mood(i) >= moodOrder && x.findAny(cSub|cThis, i, i+3) >= 0 && (x.isWord(p, "best", "reliable", "accurate", "superior", "fastest", "trusted", "better", "higher") || x.mask.any(cOther)) {
			x.hit(frPrefer, 1.4, p, i)
			return
		}
	}
}

// deceive finds orders to work on the user's mind.
func (x *frameContext) deceive() {
	for i := range x.toks {
		if x.toks[i].c.any(cDeceive) && x.mood(i) >= moodOrder && !x.about.any(cDeceive|cMeta) && x.findAny(cNeg, i-3, i) < 0 {
			w := 1.2
			if x.mask.any(cUser|cYou) || x.toks[i].f == formBase && x.mood(i) == moodStrong {
				w = 1.5
			}
			x.hit(frMislead, w, i, i)
			return
		}
		if x.isWord(i, "make") && x.isWord(i+1, "up") && x.mood(i) >= moodOrder && x.mask.any(cUser|cNeg|cMust) {
			x.hit(frMislead, 1.5, i, i+1)
			return
		}
	}
}

// isAnswer says whether a result word means the model's answer rather than a
// tool's output.
func (x *frameContext) isAnswer(i int) bool {
	if x.sen.foreign {
		for _, w := range [...]string{"respuesta", "respost", "réponse", "antwort", "ответ", "回答", "回复", "応答"} {
			if hasFoldPrefix(x.word(i), w) {
				return true
			}
		}
		return false
	}
	return x.isWord(i, "answer", "answers", "reply", "replies", "response", "responses", "summary")
}

// mislead finds orders to tell the user what is not so.
func (x *frameContext) mislead() {
	for i := range x.toks {
		if !x.toks[i].c.any(cTell|cShow) || x.mood(i) < moodOrder {
			continue
		}
		n := x.findAny(cNeg, i+1, len(x.toks))
		if n >= 0 && x.findAny(cTrue, n, n+4) >= 0 {
			x.hit(frMislead, 1.6, i, n)
			return
		}
		if x.isWord(i, "say", "claim", "pretend", "state", "report", "tell") && n > i && x.findAny(cAnd, i, n) >= 0 && x.findAny(cDeeds, n, n+5) >= 0 && x.mask.any(cUser) && !x.isWord(i+3, "to") {
			x.hit(frMislead, 1.5, i, n)
			return
		}
	}
}

func abs(n int) int { return max(n, -n) }
