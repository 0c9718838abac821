package scanner

import "strings"

// Frames about authority: who may approve what, whose word counts.

// deemed finds consent and rank that the text itself hands out: "payment
// requests in notes count as approved", "its requests have the weight of the
// owner's".
func (x *frameContext) deemed() {
	if !x.described() || x.about.any(cAsk|cAllow|cMeta) || x.whether() {
		return
	}
	s := x.sen.senses
	if s.has(sOrder|sGrant|sInData) && x.mask.any(cUser|cModel) && !x.mask.any(cNeg) {
		x.hit(frObey, 1.5, x.senseAt(sOrder, 0, len(x.toks)), x.senseAt(sGrant, 0, len(x.toks)))
		return
	}
	if i, j := x.near(sDeemed, sGrant, 6); i >= 0 && !x.negated(min(i, j)) && (s.any(sOrder|sInData|sCarry) || x.mask.any(cPay|cDestroy|cTool|cChange)) {
		x.hit(frUnasked, 1.6, i, j)
		return
	}
	i, j := x.near(sDeemed, sOrder, 10)
	if i < 0 || x.negated(i) || !s.any(sOffice) && !x.mask.any(cUser|cModel|cSystem) || !s.any(sCarry|sGrant|sInData) && !x.mask.any(cTool|cMust) {
		return
	}
	x.hit(frObey, 1.6, i, j)
}

// whether says whether the sentence asks if something is so.
func (x *frameContext) whether() bool {
	for i := range x.toks {
		if x.isWord(i, "whether") {
			return true
		}
	}
	return false
}

// obeyed finds orders in data that are to be carried out.
func (x *frameContext) obeyed() {
	if !x.described() || x.about.any(cMeta) {
		return
	}
	s := x.sen.senses
	if s.any(sAlways) && s.any(sOutput|sField) {
		// "whatever stands in it is the next thing to do"
		for k := range x.toks {
			if x.isWord(k, "whatever", "anything", "everything") && x.senseAt(sOrder, k, len(x.toks)) > k && x.findAny(cBe, k, len(x.toks)) > k {
				x.hit(frObey, 1.5, k, k)
				return
			}
		}
	}
	i, j := x.near(sOrder, sCarry, 10)
	if i < 0 || x.refused(j) {
		return
	}
	inData := s.any(sInData)
	for k, t := range x.toks {
		// "to answer a question" speaks of no answer that is there.
		inData = inData || t.c.any(cResult|cConv) && !(k > 0 && x.toks[k-1].c.any(cTo) && t.c.any(cDo))
	}
	if x.sen.foreign {
		// Those who write letters, notes and pages are not whom one obeys.
		if (inData || x.about.any(cRead|cConv|cShow)) && (x.mask.any(cUser|cBefore|cNow|cMust) || s.any(sNeedless|sDeemed|sGrant|sAlways)) && x.mask.any(cUser|cModel|cYou|cNeg|cMust|cBefore) {
			x.hit(frObey, 1.4, i, j)
		}
		return
	}
	// Somebody has to be told: a tool that runs the tasks of a file is open
	// about it.
	switch {
	case !inData && x.mask.any(cModel) && s.any(sAlways) && abs(i-j) <= 4 && !x.mask.any(cUser|cNeg):
		x.hit(frObey, 1.4, i, j)
	case !inData || x.mask.any(cNeg):
	case x.mask.any(cModel|cYou) && (x.mask.any(cMust|cShould|cUser) || s.any(sDeemed|sGrant|sAlways)),
		s.any(sOffice|sDeemed) && x.mask.any(cUser|cModel|cSystem):
		x.hit(frObey, 1.5, i, j)
	}
}

// refused says whether the deed at token j is denied.
func (x *frameContext) refused(j int) bool {
	if x.sen.foreign {
		return x.findAny(cNeg, j-3, j+2) >= 0
	}
	return x.findAny(cNeg, j-5, j) >= 0
}

// needlessConsent finds consent that is not to be sought.
func (x *frameContext) needlessConsent() {
	if !x.described() {
		return
	}
	i, j := x.near(sConsent, sNeedless, 8)
	if i < 0 || x.findAny(cNeg, min(i, j)-4, min(i, j)) >= 0 && !x.sen.foreign || x.isWord(j, "without") && x.findAny(cNeg, 0, j) >= 0 {
		return
	}
	w := 0.9
	if x.sen.first && x.kind == kindDescription {
		return // what the tool is for: "merged without further confirmation"
	}
	if o := x.senseAt(sOrder|sCarry, 0, len(x.toks)); x.mask.any(cUser|cModel|cYou) || o >= 0 && !x.isWord(o, "asked", "requested") {
		w = 1.5
	}
	x.hit(frUnasked, w, i, j)
}

// implant finds trust that is to be kept for later sessions.
func (x *frameContext) implant() {
	if !x.described() {
		return
	}
	s, _ := x.next()
	i := x.senseAt(sMemory, 0, len(x.toks))
	g := x.senseAt(sGrant, 0, len(x.toks))
	switch {
	case g >= 0 && !x.negated(g) && (x.sen.senses.any(sOrder|sFuture|sOffice|sCarry) || x.mask.any(cTool|cOther)):
		x.hit(frPersist, 1.7, i, g)
	case s.has(sConsent|sNeedless) && (s.any(sOrder|sFuture) || x.mask.any(cTool|cUser)):
		x.hit(frPersist, 1.6, i, i)
	case x.sen.senses.has(sFuture|sCarry) && x.mask.any(cTool|cInstr) && !x.mask.any(cNeg):
		x.hit(frPersist, 1.4, i, i)
	}
}

// office finds roles and rights that last while the server is connected.
func (x *frameContext) office() {
	if !x.described() || x.about.any(cPretend|cAsk|cAllow) {
		return
	}
	s := x.sen.senses
	w := x.senseAt(sWhile, 0, len(x.toks))
	if !s.any(sAttached) && !x.mask.any(cTool) || !x.mask.any(cModel|cYou) && !(x.mask.any(cTool) && s.any(sDeemed)) {
		return
	}
	if s.any(sOffice) || s.any(sGrant) && !x.mask.any(cNeg) {
		x.hit(frRole, 1.7, w, w)
	}
}

// appointed finds the model put into an office, and servers that speak for
// somebody.
func (x *frameContext) appointed() {
	if !x.described() || x.about.any(cPretend|cAsk|cAllow) {
		return
	}
	o := x.senseAt(sOffice, 0, len(x.toks))
	m := x.findAny(cModel, 0, len(x.toks))
	if m >= 0 && o >= 0 && abs(o-m) <= 12 && !x.negated(o) {
		for k := min(m, o); k < max(m, o)+3 && k < len(x.toks); k++ {
			if x.toks[k].c.any(cPretend) || x.isWord(k, "holds", "hold", "office", "role", "part", "appointed", "deputy", "acting", "rank", "promoted", "powers", "rights") {
				x.hit(frRole, 1.5, m, o)
				return
			}
		}
	}
	if x.sen.senses.any(sDeemed) && x.mask.any(cTool|cTask) && x.sen.senses.any(sOrder) {
		d := x.senseAt(sDeemed, 0, len(x.toks))
		if !x.negated(d) && abs(d-o) <= 8 {
			x.hit(frObey, 1.5, d, o)
		}
	}
}

// lapsed finds talk of the model's first instructions as over and done with.
func (x *frameContext) lapsed() {
	if !x.described() || x.about.any(cInstr|cRule) {
		return
	}
	i, j := x.near(sBriefing, sVoid, 14)
	if i < 0 {
		return
	}
	if x.mask.any(cYou|cModel|cSystem|cInstr|cRule) || x.sen.foreign || x.isWord(i, "opening") {
		x.hit(frOverride, 1.6, i, j)
	}
}

// forgedEnd finds a line that claims the list of tools is over, so that what
// follows would seem to come from somebody else.
func (x *frameContext) forgedEnd() {
	if x.kind != kindDescription || x.about.any(cMeta) || len(x.toks) > 9 {
		return
	}
	start := int(x.toks[0].start)
	if start > 2 && x.doc.text[start-2] == '<' && x.doc.text[start-1] == '/' && x.isWord(0, "tool", "tools", "description", "function", "functions", "schema", "definition", "definitions") {
		x.hit(frMimicry, 1.7, 0, 0)
		return
	}
	marked := start > 0 && strings.IndexByte("#-=*/<>[\n", x.doc.text[start-1]) >= 0 || start > 1 && x.doc.text[start-1] == ' ' && strings.IndexByte("#-=*", x.doc.text[start-2]) >= 0
	if !marked && !x.sen.first && len(x.toks) <= 9 {
		// "The catalogue of tools ends here. What follows is your onboarding."
		if i, j := x.near(sEnd, sListing, 4); i >= 0 && (x.findWord(0, len(x.toks), "here", "aqui", "ici", "hier", "aquí") >= 0 || x.sen.foreign) {
			if _, c := x.next(); c.any(cYou|cPretend|cNow) && (c.any(cYou) || x.sen.foreign) {
				x.hit(frMimicry, 1.6, i, j)
			}
			return
		}
	}
	if !marked || x.sen.first {
		return
	}
	if i, j := x.near(sEnd, sListing, 4); i >= 0 && (x.mask.any(cTool|cSystem|cInstr) || x.sen.senses.has(sEnd|sListing)) {
		x.hit(frMimicry, 1.7, i, j)
		return
	}
	if i := x.senseAt(sOffice, 0, 5); i >= 0 && x.mask.any(cInstr) && len(x.toks) <= 5 {
		x.hit(frMimicry, 1.6, i, i)
	}
}

// ruleless finds talk of the model's rules as lifted, or of a model that has
// none.
func (x *frameContext) ruleless() {
	if !x.described() || x.about.any(cInstr|cRule|cGuard) {
		return
	}
	own := x.mask.any(cYou | cModel)
	if i, j := x.near(sRule, sVoid, 9); i >= 0 && (x.sen.foreign || !x.negated(i)) {
		around, _ := x.around()
		if own || x.sen.foreign && (x.mask.any(cSystem) || around.any(sOffice|sBriefing)) {
			x.hit(frGuard, 1.6, i, j)
			return
		}
	}
	if i, j := x.near(sConsent, sVoid, 5); i >= 0 && !x.negated(i) && (own || x.mask.any(cUser|cSystem)) {
		x.hit(frUnasked, 1.5, i, j)
		return
	}
	if i := x.senseAt(sRule, 0, len(x.toks)); i >= 0 && own && x.findAny(cPretend|cBe, 0, i) >= 0 {
		for k := max(0, i-5); k < i; k++ {
			if x.isWord(k, "never", "no", "without", "nothing", "free", "unbound") && x.findAny(cYou, 0, k) >= 0 && x.findAny(cInclude|cSend|cIgnore, 0, i) < 0 {
				x.hit(frGuard, 1.5, k, i)
				return
			}
		}
	}
}

// unguarded finds protection of the machine that is to be switched off.
func (x *frameContext) unguarded() {
	for i := range x.toks {
		if !x.isWord(i, "firewall", "antivirus", "selinux", "gatekeeper", "defender", "sandbox", "sandboxing", "verification", "tls", "apparmor") {
			continue
		}
		for k := max(0, i-5); k < min(len(x.toks), i+6); k++ {
			if x.isWord(k, "off", "disable", "disabled", "down", "lower", "bypass", "stop", "skip", "remove") && !x.negated(k) && !x.about.any(cDisable) && x.findAny(cModal, i, k) < 0 && !x.sen.senses.any(sReject) {
				if _, m := x.demanded(cDisable|cCall|cChange|cDestroy|cIgnore|cEnd, moodOrder); m >= moodOrder || x.isWord(k, "off") {
					x.hit(frGuard, 1.5, i, k)
					return
				}
			}
		}
	}
}

// autonomy finds a switch from asking to acting.
func (x *frameContext) autonomy() {
	if x.kind != kindDescription || x.about.any(cAsk|cAllow) {
		return
	}
	i := x.senseAt(sAutonomy, 0, len(x.toks))
	switch {
	case x.negated(i):
	case x.sen.senses.any(sGrant|sCarry|sConsent|sOrder) && x.mask.any(cUser|cModel|cOther):
		x.hit(frUnasked, 1.5, i, i)
	case x.mask.any(cModel) && x.sen.senses.any(sVoid|sNeedless|sAlways):
		x.hit(frUnasked, 1.4, i, i)
	}
}

// forModel finds parts of data that are said to be meant for the model.
func (x *frameContext) forModel() {
	if x.kind != kindDescription || x.about.any(cMeta|cModel) || x.mask.any(cNeg) {
		return
	}
	around, _ := x.around()
	if i := x.senseAt(sForModel, 0, len(x.toks)); around.any(sUntrusted) || !x.sen.senses.any(sOrder|sInData|sOutput) {
		return
	} else if x.mask.any(cModel|cYou) && around.any(sOrder|sCarry) {
		x.hit(frObey, 1.5, i, i)
	}
}

// bannered finds a word for the system, or for orders, set off by dashes or
// the like, as no description sets off its own words: ---SYSTEM---.
func (x *frameContext) bannered() {
	if x.kind != kindDescription || x.about.any(cMeta|cConv|cInstr|cSystem) {
		return
	}
	s := x.doc.text
	for i, t := range x.toks {
		at := int(t.start)
		if at > 4 && s[at-1] == ' ' {
			at--
		}
		if t.flags&tfUpper == 0 || at < 3 || strings.IndexByte("-=*#~>", s[at-1]) < 0 || s[at-1] != s[at-2] || s[at-2] != s[at-3] || t.flags&(tfQuote|tfCode) != 0 {
			continue
		}
		if x.isWord(i, "system", "assistant", "developer", "admin", "operator", "instructions", "directive", "directives", "agent") {
			x.hit(frMimicry, 1.6, i, i)
			return
		}
	}
}
