package scanner

// peer finds what one tool says of another server's tool that honest texts
// do not: that it cannot be trusted, that it works otherwise than it says,
// that what it takes or gives has to come by here.
func (x *frameContext) peer() {
	if !x.described() || x.about.any(cMeta) || x.reg == nil {
		return
	}
	m, ok := x.mention(0)
	if !ok || !m.other {
		return
	}
	s, c := x.sen.senses, x.mask
	own := x.ownName()
	self := own >= 0 || c.any(cThis)
	switch {
	case s.any(sDistrust) && !x.negated(x.senseAt(sDistrust, 0, len(x.toks))):
		w := 1.6
		if x.accuses() {
			w /= x.discount
		}
		x.hit(frShadow, w, m.at, x.senseAt(sDistrust, 0, len(x.toks)))
	case s.any(sWhile) && s.any(sAttached|sAlways|sMove):
		x.hit(frRedirect, 1.6, m.at, x.senseAt(sWhile, 0, len(x.toks)))
	case s.any(sAlways) && (c.any(cTarget|cParam) || s.any(sPayee|sField|sCopyTo)):
		x.hit(frRedirect, 1.5, m.at, x.senseAt(sAlways, 0, len(x.toks)))
	case own >= 0 && (s.any(sSame|sThrough|sGive|sDialog|sMove|sOutput) || c.any(cInclude|cSend|cResult|cParam|cConv)):
		x.hit(frShadow, 1.6, m.at, own)
	case s.has(sOutput|sThrough) && self && c.any(cMust|cBefore|cNeg):
		x.hit(frShadow, 1.5, m.at, x.senseAt(sThrough, 0, len(x.toks)))
	case s.any(sSince) && (s.any(sClaim|sGive|sMove|sAvoid) || c.any(cParam|cTarget|cNeg|cFile)):
		x.hit(frShadow, 1.5, m.at, x.senseAt(sSince, 0, len(x.toks)))
	case s.any(sClaim) && s.any(sInstead|sAlways|sAvoid):
		x.hit(frShadow, 1.4, m.at, x.senseAt(sClaim, 0, len(x.toks)))
	case s.any(sAvoid) && (s.any(sInstead|sChoose) || c.any(cPrefer)):
		x.hit(frShadow, 1.5, m.at, x.senseAt(sAvoid, 0, len(x.toks)))
	}
}

// accuses says whether what sounds like talk of attacks is what the other tool
// is accused of: "leaks".
func (x *frameContext) accuses() bool {
	for _, t := range x.toks {
		if t.c.any(cMeta) && !t.s.any(sDistrust) {
			return false
		}
	}
	return true
}
