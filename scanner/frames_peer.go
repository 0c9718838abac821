package scanner

// peer finds what one tool says of another server's tool. A server hardly
// knows what else is connected, so that naming another's tool is odd by
// itself: it passes as a referral, a comparison or a word on where text comes
// from, and is suspect otherwise.
func (x *frameContext) peer() {
	if !x.described() || x.about.any(cMeta) || x.reg == nil {
		return
	}
	m, ok := x.mention(0)
	own := x.ownName()
	if !ok || !m.other {
		if m.at = x.plainMention(own); m.at < 0 {
			return
		}
	}
	if own < 0 && x.goesOn() {
		own = len(x.toks) - 1
	}
	if x.prerequisite(m.at) || x.callsItself(m.at) {
		return
	}
	s, c := x.sen.senses, x.mask
	switch {
	case x.accused(m.at) >= 0:
		d := x.accused(m.at)
		w := x.plainly(1.6, sDistrust)
		if x.isWord(d, "deprecated", "retired", "discontinued") && x.isWord(d+1, "by") && !s.any(sInstead|sChoose|sAvoid) && !c.any(cMust|cNeg) {
			w = 0.9 // its own maker says so
		}
		x.hit(frShadow, w, m.at, d)
	case emailIn(x.textBeyond()) && !exampleBefore(x.textBeyond()):
		x.hit(frRedirect, 1.7, m.at, m.at)
	case s.any(sWhile) && s.any(sAttached|sAlways|sMove):
		x.hit(frRedirect, 1.6, m.at, x.senseAt(sWhile, 0, len(x.toks)))
	case s.any(sAlways) && (c.any(cTarget|cParam) || s.any(sPayee|sField|sCopyTo)):
		x.hit(frRedirect, 1.5, m.at, x.senseAt(sAlways, 0, len(x.toks)))
	case s.any(sCopyTo) && (s.any(sMove) || c.any(cSend|cTarget)):
		x.hit(frRedirect, 1.5, m.at, x.senseAt(sCopyTo, 0, len(x.toks)))
	case own >= 0 && (s.any(sSame|sThrough|sGive|sDialog|sMove|sOutput) || c.any(cInclude|cSend|cResult|cParam|cConv)):
		x.hit(frShadow, 1.6, m.at, own)
	case s.any(sSince) && (s.any(sClaim|sGive|sMove|sAvoid) || c.any(cParam|cTarget|cNeg|cFile)):
		x.hit(frShadow, x.plainly(1.5, sUtter|sClaim|sDistrust), m.at, x.senseAt(sSince, 0, len(x.toks)))
	case (x.toks[m.at].flags&tfIdent != 0 || own >= 0 || x.plainTool(m.at)) && !x.refers(m.at, own):
		// A hint only: honest references have more shapes than refers knows.
		x.hit(frShadow, 1.1, m.at, m.at)
	}
}

// callsItself says whether the sentence only tells that this tool calls the
// one named at token at.
func (x *frameContext) callsItself(at int) bool {
	return x.isWord(at-1, "calls", "uses", "wraps", "runs") && !x.mask.any(cMust|cModel|cYou) && !x.literalSink()
}

// refers says whether the sentence names another tool as honest texts do.
func (x *frameContext) refers(at, own int) bool {
	end := at + 1
	for end < len(x.toks) && x.toks[end].flags&tfIdent != 0 && x.toks[end].start == x.toks[end-1].end+1 {
		end++
	}
	for i := max(0, at-4); i < at; i++ {
		if x.isWord(i, "such", "like", "unlike", "instance", "example") {
			return true
		}
	}
	if own >= 0 || x.mask.has(cNeg|cTell) || x.sen.senses.any(sAlways|sInstead|sAvoid|sOthers) && x.mask.any(cTarget|cParam|cFile|cOther|cMust) {
		return false
	}
	// "such as", "as", "like", "unlike", "than", "from": what it is compared
	// with or comes from.
	for i := max(0, at-4); i < at; i++ {
		t := x.toks[i]
		switch {
		case t.c.any(cCall|cAsk|cInclude|cSend) && t.flags&tfIdent == 0 && x.findAny(cNeg, i-3, i) < 0 && !x.mask.any(cMust):
			return true
		case x.isWord(i, "such", "like", "unlike", "than", "from", "of", "that", "with", "by", "to", "e", "example", "instance", "via", "in") && !x.mask.any(cMust) && !x.sen.senses.any(sSince|sReject):
			return true
		case t.c.any(cPrefer) && x.findAny(cNeg, i-3, i) < 0:
			return true
		}
	}
	// What it expects, can do, is better at.
	for i := end; i < min(len(x.toks), end+6); i++ {
		if x.isWord(i, "accepts", "accept", "expects", "expect", "needs", "takes", "can", "could", "would", "does", "returns", "returned", "understands", "uses", "enough", "suffices", "helps", "works", "keeps", "covers", "handles") && !x.sen.senses.any(sSince|sAlways) ||
			x.isWord(i, "better", "quicker", "faster", "cheaper", "simpler") {
			return true
		}
	}
	return false
}

// plainMention finds another server's tool that is called by a plain word,
// such as query, where this tool speaks of itself by name; -1 if there is
// none.
func (x *frameContext) plainMention(own int) int {
	if own < 0 && !x.sen.foreign && x.findWord(0, len(x.toks), "calls", "call", "requests", "than", "instead", "over") < 0 {
		return -1
	}
	for i := range x.toks {
		called := own >= 0 || i > 1 && x.isWord(i-1, "to") && x.isWord(i-2, "calls", "call", "requests") || i > 0 && x.isWord(i-1, "than", "instead", "over") && x.mask.any(cOther|cMust)
		// Its server's name will do where tools are spoken of.
		if x.reg.servers != nil && x.mask.any(cTool) && x.sen.foreign && x.toks[i].end-x.toks[i].start >= 4 && x.otherServer(x.word(i)) {
			return i
		}
		if called && i != own && x.toks[i].end-x.toks[i].start >= 4 && x.toks[i].flags&tfIdent == 0 && x.ownerOf(x.word(i)) == ownerOther {
			return i
		}
	}
	return -1
}

// plainly undoes the discount for talk of attacks where what sounds like it is
// what a tool is accused of, "leaks", or what becomes of a call, "rejected".
func (x *frameContext) plainly(weight float64, meant sense) float64 {
	for _, t := range x.toks {
		if t.c.any(cMeta) && !t.s.any(meant) {
			return weight
		}
	}
	return weight / x.discount
}

// accused finds what is said against the tool named at token at; -1 if
// nothing is.
func (x *frameContext) accused(at int) int {
	d := x.senseAt(sDistrust, at-3, len(x.toks))
	if d < 0 || x.negated(d) || x.isWord(d-1, "for", "about", "report", "find") {
		return -1
	}
	return d
}

// goesOn says whether the next sentence speaks of this tool by name and of
// what this one names.
func (x *frameContext) goesOn() bool {
	y, ok := x.following()
	if !ok || y.ownName() < 0 {
		return false
	}
	for i := range y.toks {
		if y.isWord(i, "it", "them", "they", "those", "that") {
			return true
		}
	}
	return false
}

// plainTool says whether the name of a server, at token i, is followed by that
// of a tool which is a plain word: "the postgres server's query".
func (x *frameContext) plainTool(i int) bool {
	for k := i + 1; k < min(len(x.toks), i+4); k++ {
		if x.toks[k].end-x.toks[k].start >= 4 && x.ownerOf(x.word(k)) == ownerOther {
			return true
		}
	}
	return false
}
