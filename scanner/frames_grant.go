package scanner

// Frames about what is granted to a model without its user: orders in data,
// consent that is not to be sought, rules that are said to be lifted.

// obeyed finds orders in data that are to be carried out.
func (x *frameContext) obeyed() {
	if !x.described() || x.about.any(cMeta) {
		return
	}
	s := x.sen.senses
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

// ruleless finds talk of the model's rules as lifted.
func (x *frameContext) ruleless() {
	if !x.described() || x.about.any(cInstr|cRule|cGuard) {
		return
	}
	i, j := x.near(sRule, sVoid, 9)
	if i < 0 || x.negated(i) && !x.sen.foreign {
		return
	}
	around, _ := x.around()
	if x.mask.any(cYou|cModel) || x.sen.foreign && (x.mask.any(cSystem) || around.any(sOffice|sBriefing)) {
		x.hit(frGuard, 1.6, i, j)
	}
}

// unruled finds talk of the usual rules of a model as not in force here.
func (x *frameContext) unruled() {
	if !x.described() || x.sen.first || x.discount < 1 || x.about.any(cInstr|cRule|cGuard|cMeta) {
		return
	}
	r := x.senseAt(sRule, 0, len(x.toks))
	if r < 0 {
		r = x.findWord(0, len(x.toks), "guidelines", "guideline", "guidance", "persona", "instructions", "mode", "configuration", "restraint", "duty", "duties", "obligation", "obligations", "requirement")
	}
	if r < 0 {
		return
	}
	void := -1
	for i := range x.toks {
		switch {
		case x.isWord(i, "force", "effect", "place") && x.isWord(i-1, "in") && x.findAny(cNeg, i-6, i) >= 0,
			x.isWord(i, "paused", "suspended", "lifted", "waived", "relaxed", "void", "inactive", "dormant", "dropped"),
			x.isWord(i, "cover", "covers", "apply", "applies", "extend", "concern", "bind", "hold", "count") && x.findAny(cNeg, i-4, i) >= 0,
			x.isWord(i, "written", "meant", "intended", "made", "designed") && x.isWord(i+1, "for") && x.findWord(i, i+6, "different", "other", "another", "others", "older", "earlier") >= 0:
			void = i
		}
	}
	if void < 0 || abs(void-r) > 16 {
		return
	}
	own := x.mask.any(cModel|cYou) || x.findWord(0, len(x.toks), "usual", "ordinary", "normal", "earlier", "content", "persona", "safety", "initial") >= 0 ||
		x.mask.any(cConv) || x.before(cModel|cYou) || x.mask.any(cTell|cAsk) && x.findWord(0, len(x.toks), "longer", "anymore") >= 0
	if own {
		x.hit(frGuard, 1.5, r, void)
	}
}

// before says whether the sentence before this one has any of these meanings.
func (x *frameContext) before(want concept) bool {
	if k := x.index(); k > x.doc.sen0 {
		return x.v.clauses[k-1].mask.any(want)
	}
	return false
}
