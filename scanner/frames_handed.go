package scanner

import "strings"

// Frames about what is the user's or the session's and that the tool's job
// does not need: named in one place and asked for in the same or in another.

// belongings are the senses of what belongs to the user or the session.
const belongings = sDialog | sPrivate | sIntimate | sKeyFile | sSession | sGuide | sTraffic

// handed finds belongings in prose about the tool, and a word that they are
// wanted beside them or in the sentence that follows.
func (x *frameContext) handed() {
	if x.sen.first || x.discount < 0.8 {
		return
	}
	i := x.belonging()
	if i < 0 || x.chosen() || x.withheld(i) || x.protective(i) {
		return
	}
	if x.ofField() {
		return
	}
	f := frSecret
	switch {
	case x.toks[i].s.any(sDialog | sTraffic):
		f = frConv
	case x.toks[i].s.any(sGuide):
		f = frPrompt
	}
	switch {
	case x.wanted(i):
		x.hit(f, 1.5, i, i)
	case x.fetched():
		x.hit(f, 1.5, i, i)
	}
}

// heldBy finds parameters that are described as holding belongings which
// neither their names nor the tool's purpose account for.
func (x *frameContext) heldBy() {
	if !x.ofField() || x.discount < 1 || x.v.fields[x.doc.field].layer != "" || x.v.fields[x.doc.field].output {
		return
	}
	i := x.belonging()
	if i < 0 || x.holdsNothing() || x.chosen() || x.withheld(i) || x.protective(i) || x.idOf(i) {
		return
	}
	t := x.toks[i]
	own, sense := x.ownField()
	if sense.any(t.s&belongings) || own.any(cConv|cHistory|cSecret|cPersonal|cCredPath|cFile) {
		return
	}
	switch {
	case t.s.any(sTraffic):
		x.hit(frConv, 1.6, i, i)
	case t.s.any(sGuide) && x.mask.any(cYou|cModel):
		x.hit(frPrompt, 1.6, i, i)
	case t.s.any(sIntimate|sSession) && (x.demandsIntimate(i) || x.isWord(i, "diary", "diaries")):
		x.hit(frSide, 1.5, i, i)
	case t.s.any(sPrivate) && (x.mask.any(cModel|cYou|cUser) && x.mask.any(cInclude|cConv|cWhole|cOther|cKnow|cRead) || x.mask.any(cOther|cWhole)):
		x.hit(frSide, 1.5, i, i)
	}
}

// demandsIntimate says whether a tool has no use for what people keep to
// themselves, by its name and by what it says of itself.
func (x *frameContext) demandsIntimate(i int) bool {
	if x.about.any(cPay|cPersonal|cSecret|cAsk|cAuthority) || x.mask.any(cMeta) {
		return false
	}
	return !x.v.says("book", "flight", "travel", "visa", "hotel", "bank", "health", "medic", "patient", "doctor", "insur", "tax", "payroll", "identit", "verif", "regist", "account", "appl", "kyc",
		"employ", "salar", "loan", "credit", "card", "check", "guest", "rent", "crypt", "wallet", "login", "sign", "auth", "secur", "benefit", "clinic", "pharm", "legal", "contract", "form",
		"user", "customer", "person", "profile", "order", "buy", "shop", "ship", "hash", "browser", "cookie", "http", "request", "scrap", "crawl", "session", "connect", "sym")
}

// holdsNothing says whether the text belongs to a parameter that is a number
// or a switch.
func (x *frameContext) holdsNothing() bool {
	f := &x.v.fields[x.doc.field]
	if f.kind != kindParamDescription || f.layer != "" {
		return false
	}
	shape, _ := x.v.shapes()
	p := shape[f.param]
	return p.numeric() || string(p.Type) == `"boolean"`
}

// belonging gives the first token of something that belongs to the user or
// the session and that the tool is not about; -1 if there is none.
func (x *frameContext) belonging() int {
	for i, t := range x.toks {
		s := t.s & belongings
		if s == 0 && t.c.any(cSecret) && x.kind == kindDescription && x.mask.any(cUser) && !x.about.any(cSecret|cCredPath) && x.findAny(cUser, i-3, i+6) >= 0 && !x.isWord(i, "token", "key", "id", "pin", "login") {
			s = sKeyFile
		}
		if s == 0 && t.c.any(cUser) && x.said(i) {
			s = sDialog
		}
		if s == 0 || t.flags&tfIdent != 0 {
			continue
		}
		if s.any(sDialog) {
			if x.about.any(cConv|cHistory) || !t.c.any(cConv) && t.flags&tfPhrase == 0 && !x.mask.any(cUser|cYou|cModel) || !x.sen.senses.any(sSpan) && !x.wide() && !x.mask.any(cPrior|cWhole|cUser) || x.idOf(i) || x.condition(i) || x.elsewhere(i) {
				s &^= sDialog
			}
		}
		if s.any(sGuide) && x.about.any(cInstr|cSystem|cModel) {
			s &^= sGuide
		}
		if s.any(sTraffic) && x.about.any(cTool) {
			s &^= sTraffic
		}
		if s.any(sPrivate|sIntimate|sKeyFile|sSession) && (x.about.any(cSecret|cPersonal|cCredPath) || !x.mask.any(cUser|cYou|cModel|cCredPath) && (!t.s.any(sIntimate|sKeyFile|sSession) || !x.mask.any(cTell|cWhole|cOther)) && !x.possessed(i) && !(x.ofField() && t.s.any(sIntimate) && x.plainlyIntimate(i))) {
			s &^= sPrivate | sIntimate | sKeyFile | sSession
		}
		if x.findWord(i+1, i+5, "removed", "withheld", "stripped", "blanked", "anonymised", "anonymized", "masked") >= 0 {
			continue
		}
		if s != 0 && x.aboutSenses()&s == 0 {
			return i
		}
	}
	return -1
}

// said says whether the user at token i is the author of what the tool has no
// business with: "the user's preceding question".
func (x *frameContext) said(i int) bool {
	k := x.findWord(i+1, i+4, "question", "questions", "prompt", "words", "sentence", "message", "messages", "request", "sentences", "input")
	return k > i+1 && x.senseAt(sSpan, i+1, k) >= 0 && !x.about.any(cConv)
}

// plainlyIntimate says whether the word at token i means what people keep to
// themselves even where nobody is named: a passport, but not "finance".
func (x *frameContext) plainlyIntimate(i int) bool {
	return !x.isWord(i, "health", "finance", "finances", "medical", "salary", "salaries", "religion", "illness", "allergy", "allergies", "diagnosis", "prescription", "debts", "pin", "pins", "code") ||
		x.isWord(i, "pin") && x.toks[i].flags&tfUpper != 0
}

// plainParam finds a parameter of the tool that the sentence speaks of in
// plain words: "a locker reference has two parts".
func (x *frameContext) plainParam() bool {
	for i := range x.toks {
		if t := x.toks[i]; t.end-t.start < 4 || t.flags&tfIdent != 0 {
			continue
		}
		w := x.word(i)
		for k := range min(len(x.v.fields), 24) {
			if f := &x.v.fields[k]; f.kind == kindParamName && !f.output && strings.EqualFold(strings.ReplaceAll(f.text, "_", " "), x.phraseAt(i, f.text)) && len(w) > 0 {
				return true
			}
		}
	}
	return false
}

// phraseAt gives as much of the text from token i as a name is long.
func (x *frameContext) phraseAt(i int, name string) string {
	at := int(x.toks[i].start)
	return x.doc.text[at:min(len(x.doc.text), at+len(name))]
}

// possessed says whether what stands at token i is said to be somebody's.
func (x *frameContext) possessed(i int) bool {
	for k := max(0, i-5); k < i; k++ {
		if x.isWord(k, "their", "his", "her", "its", "player", "player's", "customer's", "person's", "client's", "stored", "saved") {
			return true
		}
	}
	return false
}

// aboutSenses is what the names of the tool and of its parameters and the
// opening of its description speak of.
func (x *frameContext) aboutSenses() (s sense) {
	v := x.v
	for i := range min(len(v.docs), 4*maxFields) {
		d := &v.docs[i]
		switch f := &v.fields[d.field]; {
		case f.layer != "" || f.output:
		case f.kind == kindName, f.kind == kindParamName:
			for _, t := range v.tokens[d.tok0:d.tok1] {
				s |= t.s
			}
		case f.kind == kindDescription && d.sen1 > d.sen0 && v.clauses[d.sen0].first:
			s |= v.clauses[d.sen0].senses
		}
	}
	return s
}

// chosen says whether the sentence leaves it to the user: what they agreed to
// share, what they select.
func (x *frameContext) chosen() bool {
	for i := range x.toks {
		if x.isWord(i, "selected", "selects", "chosen", "chooses", "choose", "agreed", "agrees", "consented", "opted", "optional", "optionally", "pasted", "unless") && x.mask.any(cUser|cYou|cAsk) ||
			x.isWord(i, "asks", "asked", "wishes", "wants", "requests") && x.findAny(cUser, i-3, i) >= 0 && x.findAny(cWhen|cPrefer, max(0, i-5), i) >= 0 {
			return true
		}
	}
	return false
}

// wanted says whether the sentence has what stands at token i given to the
// tool: an order, a passive of duty, a need of the tool's.
func (x *frameContext) wanted(i int) bool {
	if v, m := x.demanded(cInclude|cSend, moodOrder); v >= 0 && m >= moodOrder && abs(v-i) <= 14 && x.findAny(cNeg, v-4, v) < 0 && !x.isWord(v, "enter", "specify", "contain") {
		return true
	}
	if x.findWord(0, len(x.toks), "parts", "consists", "begins", "starts", "ends", "holds", "followed", "together", "comprises") >= 0 && x.plainParam() {
		return true
	}
	for k := range x.toks {
		switch {
		case x.isWord(k, "carries", "carry", "bears") && k < i && i-k <= 10 && x.findAny(cNeg, k-3, k) < 0,
			x.isWord(k, "our", "us") && x.isWord(k-1, "on", "to", "by", "with", "for") && x.findWord(0, k, "hashed", "stored", "kept", "compared", "matched", "copied", "indexed", "collected", "read", "go", "goes") >= 0,
			x.isWord(k, "let") && x.isWord(k+1, "the", "it", "us") && x.findWord(k, k+5, "have", "see", "know") >= 0,
			x.isWord(k, "needs", "wants", "requires", "expects", "asks", "need", "want") && k < i && i-k <= 12 && x.findAny(cNeg, k-3, k) < 0 && x.findAny(cTool|cSub|cResult|cOutside, k-5, k) >= 0,
			x.isWord(k, "belongs", "belong", "goes", "go") && k > i && x.isWord(k+1, "in", "into", "to", "along", "with", "on"),
			x.isWord(k, "derived", "computed", "built", "consists", "made", "comes", "together", "composed", "formed", "assembled") && k-i < 12 && x.isWord(k+1, "from", "of", "with", "up"),
			x.isWord(k, "needed", "wanted", "required", "expected") && x.findAny(cBe, k-3, k) >= 0 && abs(k-i) <= 8 && x.findAny(cNeg, k-3, k) < 0 && x.ownParam() >= 0,
			x.isWord(k, "state", "supply", "submit", "report", "hand", "give") && x.mood(k) >= moodOrder && k < i && i-k <= 6:
			return true
		}
	}
	return false
}

// following is the sentence after this one, if the text has one.
func (x *frameContext) following() (frameContext, bool) {
	at := x.index()
	if at+1 >= x.doc.sen1 {
		return frameContext{}, false
	}
	s := &x.v.clauses[at+1]
	return frameContext{v: x.v, reg: x.reg, d: x.d, doc: x.doc, sen: s, toks: x.v.tokens[s.tok0:s.tok1], mask: s.mask, kind: x.kind, about: x.about}, true
}

// fetched says whether the next sentence demands what this one names: "Supply
// them in `style`", "upload it once".
func (x *frameContext) fetched() bool {
	y, ok := x.following()
	if !ok {
		return false
	}
	for i := range y.toks {
		if !y.isWord(i, "them", "it", "those", "that", "these", "both", "this") || i == 0 {
			continue
		}
		t := y.toks[i-1]
		if (t.c.any(cInclude|cSend|cRead) || y.isWord(i-1, "give", "hand", "supply", "submit", "place")) && t.flags&tfIdent == 0 && y.mood(i-1) >= moodOrder && y.findAny(cNeg, i-4, i-1) < 0 && !y.chosen() {
			return true
		}
	}
	return false
}
