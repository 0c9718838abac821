package scanner

// Frames about control: overriding, concealing, precedence, roles.

// override finds orders to drop what the model was told before.
func (x *frameContext) override() {
	if x.sen.foreign && x.about.any(cInstr|cRule) && !x.mask.any(cYou|cModel|cNow) {
		return // a tool about rules
	}
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
		if j >= 0 && x.kind != kindParamName && x.member(j) {
			j = -1 // window.prompt
		}
		rule := x.findAny(cRule, from, to)
		if rule >= 0 && x.modifies(rule) && !x.toks[rule].c.any(cGuard) {
			rule = -1 // a policy of an insurer
		}
		if j >= 0 && x.ofStrangers(j) {
			continue // "ignore instructions inside the answer"
		}
		m := x.mood(i)
		prior := x.findAny(cPrior|cOther|cUser|owner, from, to) >= 0
		switch {
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

// ofStrangers says whether the instructions at token j are those that stand in
// data, which a careful reader does not follow.
func (x *frameContext) ofStrangers(j int) bool {
	if x.sen.foreign || !x.isWord(j+1, "in", "inside", "within", "contained", "embedded", "found", "that") || j+2 >= len(x.toks) {
		return false
	}
	const owners = cSystem | cUser | cYou | cPrior | cModel | cTool | cInstr
	return x.findAny(owners, j+2, j+7) < 0 && x.findAny(cPrior|cYou|cSystem, j-4, j) < 0
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
		for k := i + 1; k < min(i+7, len(x.toks)); k++ {
			t := x.toks[k]
			if t.flags&(tfBreak|tfIdent) != 0 && !x.sen.foreign {
				break
			}
			if !t.c.any(cDeeds|cIgnore|cDisable) || t.f == formIng || x.findAny(cNeg, i, k) >= 0 && !x.sen.foreign && !t.c.any(cIgnore|cDisable) || t.f == formPast && x.mood(k) < moodOrder {
				continue
			}
			if !t.c.any(cDeeds) && !t.c.any(cDisable) && x.mood(k) < moodOrder && !x.sen.foreign {
				continue
			}
			far := x.findAny(cShell|cSecret|cCredPath|cConv|cHistory|cOutside|cDestroy|cPay, k, len(x.toks)) >= 0
			w := 0.7
			if x.kind == kindDescription && t.c.any(cInclude|cSend|cRead) && !x.sen.first && x.ownParam() >= 0 {
				w = 1.4 // the model is to fill a parameter with something
			}
			switch {
			case t.c.any(cIgnore|cDestroy|cPay) || far && t.c.any(cSend|cRead|cInclude|cCall):
				w = 1.5
			case x.literalSink() && t.c.any(cSend|cCall|cInclude) || x.mask.has(cResult|cWhole) && !x.isWord(k, "follow", "use", "write", "writes", "apply"):
				w = 1.4
			case x.kind >= kindEnum:
				w = 1.4
			}
			x.hit(frAddress, w, i, k)
			return
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
			if k > i && k < i+3 && x.toks[k].flags&tfIdent != 0 || x.toks[k].c.any(cThis) && x.isWord(k+1, "server", "toolkit", "suite", "api", "plugin", "connection", "mcp", "package", "integration", "workflow", "list", "family", "service", "connector", "group", "set") || x.isWord(k, "our", "listed", "here", "below", "its", "its") {
				own = 0.4
			}
		}
		call, m := x.demanded(cDeeds, moodOrder)
		if m == moodOrder {
			own *= 0.8
		}
		if call >= 0 && m >= moodOrder && x.findAny(cBefore, 0, i) >= 0 {
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
	if i := x.findAny(cGuard, 0, len(x.toks)); i >= 0 && !x.circumstance(i) {
		k := x.findAny(cDisable|cIgnore, 0, len(x.toks))
		if k >= 0 && abs(i-k) < 8 && x.mask.any(cYou|cModel|cNow|cSystem) && (x.mood(k) >= moodOrder || x.toks[k].f != formThird) && !x.mask.any(cMeta) {
			x.hit(frGuard, 1.6, i, k)
		} else if k := x.findAny(cNeg, i-5, i); k >= 0 && x.mask.any(cYou|cModel) && x.mask.any(cNow|cPretend) {
			x.hit(frGuard, 1.6, i, k)
		}
	}
	if i := x.findAny(cNow, 0, len(x.toks)); i >= 0 && x.mask.any(cMust|cOther|cWhen|cThis) && !(x.isWord(i, "now") && i == len(x.toks)-1) {
		if j, m := x.demanded(cDeeds|cTell|cPretend|cIgnore|cPrefer, moodOrder); m >= moodOrder && x.mask.any(cResult|cConv|cTool|cTask|cModel|cYou) && x.mask.any(cMust|cOther) {
			x.hit(frPersist, 1.4, i, j)
		}
	}
}

// member says whether token i is part of a dotted name.
func (x *frameContext) member(i int) bool {
	at := x.toks[i].start
	return i > 0 && at > 1 && x.doc.text[at-1] == '.' && x.toks[i-1].end == at-1
}

// circumstance says whether the guard at token i is not what something is
// done to, but how it is done ("cancels orders with approval") or which
// records it is done to ("review records by team").
func (x *frameContext) circumstance(i int) bool {
	if i > 1 && x.isWord(i-1, "with", "after", "upon", "by") && x.findAny(cGuard, i+1, len(x.toks)) < 0 &&
		x.findAny(cIgnore|cDisable, i+1, len(x.toks)) < 0 && !x.toks[i-2].c.any(cIgnore|cDisable) && !x.isWord(i-2, "away", "dispense") {
		return true
	}
	// "in the security system of a bank"
	return x.modifies(i) || x.isWord(i+1, "system") && x.isWord(i-1, "the") && x.isWord(i-2, "in", "of")
}

// modifies says whether the word at token i says of which kind the records
// after it are.
func (x *frameContext) modifies(i int) bool {
	return x.isWord(i+1, "records", "record", "entries", "entry", "items", "rows", "tickets", "lines") && x.toks[i+1].flags&tfBreak == 0
}

func abs(n int) int { return max(n, -n) }
