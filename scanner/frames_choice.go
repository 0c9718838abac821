package scanner

// choice finds tools that praise themselves at the cost of all others, or that
// want to be chosen against the user's wish.
func (x *frameContext) choice() {
	if !x.described() || x.about.any(cMeta) {
		return
	}
	s, c := x.next()
	here := x.sen.senses
	others := x.senseAt(sOthers, 0, len(x.toks))
	switch {
	case others >= 0 && here.any(sDistrust) && s.any(sAvoid|sChoose|sTrust) && x.ofTools(others):
		j := x.senseAt(sDistrust, 0, len(x.toks))
		w := 1.2
		if s.any(sAvoid) || s.any(sAlways) && s.any(sChoose) || s.any(sTrust) && c.any(cMust|cNeg|cUser|cModel) {
			w = 1.6
		}
		x.hit(frPrefer, w, others, j)
	case others >= 0 && here.any(sAvoid) && here.any(sChoose|sTrust|sAlways) && x.ofTools(others):
		i, j := x.near(sOthers, sAvoid, 9)
		if i >= 0 {
			x.hit(frPrefer, 1.4, i, j)
		}
	}
	// "even if the user asks for another one"
	if here.has(sAlways|sChoose) && (here.any(sOthers) || x.mask.any(cOther)) && x.mask.any(cUser) {
		for i := range x.toks {
			if x.isWord(i, "even", "also", "aunque", "meme", "même", "auch", "mesmo", "despite", "against", "whatever") || x.sen.foreign && x.toks[i].s.any(sAlways) {
				if u := x.findAny(cUser, i, i+7); u >= 0 && u > i {
					x.hit(frPrefer, 1.5, i, u)
					return
				}
			}
		}
	}
}

// ofTools says whether the others at token i are tools, or stand alone: "other
// fields" and "the rest of the list" are neither.
func (x *frameContext) ofTools(i int) bool {
	if x.mask.any(cTool) || x.about.any(cTool) {
		return true
	}
	n := i + 1
	for n < len(x.toks) && x.toks[n].s.any(sOthers) && x.toks[n].flags&tfBreak == 0 {
		n++
	}
	for k := n; k < min(len(x.toks), n+3); k++ {
		if x.toks[k].c.any(cBe|cModal) && x.toks[k].flags&tfBreak == 0 && !x.isWord(n, "fields", "values", "parameters", "columns", "options", "items", "files", "rows", "arguments") {
			return true
		}
	}
	if n >= len(x.toks) || x.toks[n].flags&tfBreak != 0 {
		return true
	}
	t := x.toks[n]
	return t.c.any(cBe|cModal|cStop|cNeg|cAdv) || t.s.any(sDistrust) || x.sen.foreign ||
		x.isWord(n, "search", "translators", "mailers", "calculator", "calculators", "converters", "readers", "clients", "engines", "services", "servers", "file", "translation", "mail", "web", "options", "ways", "methods", "sources")
}
