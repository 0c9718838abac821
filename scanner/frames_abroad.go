package scanner

// Frames for languages other than English, where inflection is not followed:
// they ask what words a sentence has together.

// abroad finds the model doing something in a description in another language,
// where the voice of a verb is not followed.
func (x *frameContext) abroad() {
	if !x.sen.foreign || x.kind != kindDescription || x.sen.first || x.discount < 1 || x.about.any(cModel|cMeta|cConv|cAsk) || !x.mask.any(cModel) {
		return
	}
	s, _ := x.around()
	if x.mask.any(cAsk) && !x.sen.senses.any(sNeedless) || x.mask.any(cNeg) && !s.any(sHush) && !x.mask.any(cTell|cKnow) {
		return
	}
	m := x.findAny(cModel, 0, len(x.toks))
	if x.mask.any(cDestroy | cPay | cDisable | cChange | cIgnore) {
		x.hit(frAddress, 1.4, m, m)
	}
}

// presumedAbroad finds consent taken for granted and protections lifted in
// other languages, where inflection is not followed.
func (x *frameContext) presumedAbroad() {
	if !x.sen.foreign || x.kind > kindParamDescription || x.sen.first {
		return
	}
	m := x.mask
	switch {
	case m.any(cInstr) && m.any(cIgnore|cNeg) && m.any(cIgnore|cNow) && m.any(cYou|cModel|cSystem|cNow) && !x.about.any(cInstr|cRule) && !m.any(cFile):
		x.hit(frOverride, 1.8, 0, len(x.toks)-1)
	case m.has(cResult|cInstr) && m.any(cCall) && (m.any(cMust|cShould|cNow|cYou|cModel) || x.isPast()) && !x.about.any(cInstr|cTask):
		x.hit(frObey, 1.5, 0, len(x.toks)-1)
	case m.any(cGuard) && m.any(cDisable) && !x.about.any(cGuard|cDisable):
		x.hit(frGuard, 1.6, 0, len(x.toks)-1)
	case m.any(cAsk) && m.any(cOther|cWhole) && x.isPast() && !x.about.any(cAsk) && !m.any(cMust|cBefore):
		x.hit(frUnasked, 1.5, 0, len(x.toks)-1)
	}
}

// isPast finds "already" in the languages that are read.
func (x *frameContext) isPast() bool {
	s := x.text()
	for _, w := range [...]string{" ya ", " já ", " déjà ", "bereits", "уже", "已经", "视为", "すでに", "既に", "hubiera", "considere", "considera", "considérez", "betrachte", "считай", "みなし"} {
		if indexFrom(s, w, 0) >= 0 {
			return true
		}
	}
	return hasFoldPrefix(s, "considere") || hasFoldPrefix(s, " considere")
}

// citesAbroad says whether an order to forget what was said stands in quotation
// marks, and nothing of that kind around them, where grammar is not followed.
func (x *frameContext) citesAbroad() bool {
	quoted, around := 0, 0
	for _, t := range x.toks {
		switch in := t.flags&(tfQuote|tfCode) != 0; {
		case !in:
			around++
			if t.c.any(cIgnore) {
				return false
			}
		case t.c.any(cIgnore):
			quoted++
		}
	}
	return quoted > 0 && around > 1
}
