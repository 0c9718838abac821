package scanner

// Frames about what a model holds and a tool has no business with: what was
// said, what it was told, what lies in files of credentials. They do not ask
// for an order: "requests without it are rejected" demands as much.

// dialogDemand finds fields that have to hold what was said.
func (x *frameContext) dialogDemand() {
	if x.about.any(cConv|cHistory) || x.kind != kindDescription && !x.ofField() {
		return
	}
	i := x.senseAt(sDialog, 0, len(x.toks))
	if i < 0 {
		// "what the person typed", in a field of the tool
		u, _ := x.uttered()
		if u < 0 || x.ofField() {
			return
		}
		i = u
	}
	if x.withheld(i) || x.idOf(i) || x.condition(i) || x.elsewhere(i) || x.isWord(i+1, "id", "ids", "identifier", "name", "title", "type", "room", "url", "key", "model", "completion", "completions") {
		return
	}
	s := x.sen.senses
	span := s.any(sSpan) || x.wide() || x.mask.any(cWhole|cHistory) && x.mask.any(cUser)
	if x.ofField() {
		own, _ := x.ownField()
		switch {
		case own.any(cConv | cHistory):
			// "messages: the conversation so far" is open about it.
			if span && s.any(sReject) {
				x.hit(frConv, 0.9, i, i)
			}
		case span || s.any(sUtter|sIntimate) && x.mask.any(cUser):
			x.hit(frConv, 1.6, i, i)
		}
		return
	}
	field, fair := x.namedField(cConv|cHistory, sDialog)
	if field < 0 {
		if before, f := x.fieldBefore(cConv|cHistory, sDialog); before {
			field, fair = i, f
		}
	}
	switch {
	case field < 0:
		return
	case fair:
		if span && s.any(sReject) {
			x.hit(frConv, 0.9, i, field)
		}
	case s.any(sReject) && (span || s.any(sGive)):
		x.hit(frConv, x.plainly(1.7, sReject), i, field)
	case span && (s.any(sGive|sPaste) || x.into(field)), x.into(field) && s.any(sDialog) && s.any(sPaste|sMove):
		x.hit(frConv, 1.6, i, field)
	}
}

// uttered finds what somebody said: a word for saying beside one for the user.
func (x *frameContext) uttered() (i, user int) {
	for i := range x.toks {
		if x.toks[i].s.any(sUtter) || x.isWord(i, "message", "messages", "prompt", "sentence", "sentences") {
			if u := x.findAny(cUser, i-4, i+5); u >= 0 {
				return i, u
			}
		}
	}
	return -1, -1
}

// wide says whether the sentence speaks of a whole in words that mean it only
// together.
func (x *frameContext) wide() bool {
	for i := range x.toks {
		if x.isWord(i, "last", "everything", "running", "whatever", "tudo", "todo", "tout", "alles") {
			return true
		}
	}
	return x.mask.any(cWhole)
}

// into says whether token i is where something goes: "in `tag`", "as remarks".
func (x *frameContext) into(i int) bool {
	return x.isWord(i-1, "in", "into", "as", "under", "via", "through", "inside", "within", "im", "en", "dans", "als", "em", "como", "comme", "feld", "в") ||
		x.isWord(i-2, "in", "into", "as", "im", "en", "dans", "als", "em", "como") && x.toks[i-1].c.any(cThis|cStop|cForeign|cParam) || x.sen.foreign && i > 0 && x.toks[i-1].s.any(sField)
}

// privateDemand finds secrets and private data that go into a field whose name
// does not say so.
func (x *frameContext) privateDemand() {
	if x.kind != kindDescription || !x.mask.any(cSecret|cCredPath|cPersonal) && !x.sen.senses.any(sPrivate|sKeyFile|sSession|sIntimate) || x.about.any(cSecret|cCredPath|cPersonal|cTarget) {
		return
	}
	field, fair := x.namedField(cSecret|cCredPath|cPersonal|cTarget, sPrivate|sKeyFile|sSession|sIntimate)
	if field < 0 || fair || x.toks[field].s.any(sField) && x.toks[field].flags&tfCode == 0 {
		return
	}
	for i := range x.toks {
		t := x.toks[i]
		secret := t.c.any(cSecret|cCredPath) && (t.c.any(cCredPath) || t.flags&tfIdent == 0 || t.flags&tfUpper != 0 || x.mask.any(cUser|cOther)) || t.s.any(sKeyFile|sSession|sIntimate) || t.s.any(sPrivate) && (x.mask.any(cUser|cYou|cModel|cCredPath) || !x.generic(i))
		if i == field || !secret && !(t.c.any(cPersonal) && x.mask.any(cUser)) || x.idOf(i) || x.withheld(i) || x.isWord(i, "key", "token", "number") && t.flags&tfUpper == 0 {
			continue
		}
		if x.into(field) || x.sen.senses.any(sPaste|sReject) || t.s.any(sIntimate|sPrivate|sSession|sKeyFile) && x.sen.senses.any(sGive|sMove|sSame) {
			x.hit(frSecret, 1.5, i, field)
			return
		}
	}
}

// generic says whether words for a whole say of nothing private what it is a
// whole of: "all documents", "every file".
func (x *frameContext) generic(i int) bool {
	return x.isWord(i, "all", "every", "everything", "local", "open", "entire", "whole", "its") && x.sen.flags&tfPhrase != 0
}

// keyFileDemand finds fields that take the text of a file of credentials,
// though their names do not say so.
func (x *frameContext) keyFileDemand() {
	const own = cSecret | cCredPath
	if x.ofField() && x.about.any(cShell) || x.reads() ||
		!x.mask.any(cCredPath) && !x.sen.senses.any(sKeyFile) || x.about.any(own) || x.kind != kindDescription && !x.ofField() {
		return
	}
	i := x.findAny(cCredPath, 0, len(x.toks))
	if i < 0 {
		i = x.senseAt(sKeyFile, 0, len(x.toks))
	}
	s := x.sen.senses
	if x.withheld(i) || !s.any(sContents|sPaste) || x.isWord(i-1, "in", "from") {
		return
	}
	if x.ofField() {
		if c, so := x.ownField(); !c.any(own) && !so.any(sKeyFile) && s.any(sContents) {
			x.hit(frSecret, 1.6, i, i)
		}
		return
	}
	field, fair := x.namedField(own, sKeyFile)
	if field < 0 {
		if before, f := x.fieldBefore(own, sKeyFile); before {
			field, fair = i, f
		}
	}
	if field >= 0 && !fair {
		x.hit(frSecret, 1.7, i, field)
	}
}

// withheld says whether what token i speaks of is to be kept out: "do not
// include the conversation". That a request without it fails is another thing.
func (x *frameContext) withheld(i int) bool {
	if x.sen.senses.any(sReject) && !x.mask.any(cModel|cYou) {
		return false
	}
	for k := max(0, i-4); k < i; k++ {
		if x.isWord(k, "nothing", "not", "never", "none") && x.findAny(cInclude|cSend|cRead|cCall, k, i) < 0 && (x.isWord(k+1, "about", "from", "of", "the") || k+1 == i) {
			return true // "only the text is sent, nothing about the conversation"
		}
	}
	n := x.findAny(cNeg, i-7, i)
	return n >= 0 && !x.isWord(n, "without") && x.findAny(cInclude|cSend|cTell|cRead|cCall, n+1, i) >= 0
}

// idOf says whether token i is only named by an identifier, a title or the
// like: "id of the conversation".
func (x *frameContext) idOf(i int) bool {
	for k := max(0, i-5); k < i; k++ {
		if x.isWord(k, "id", "ids", "identifier", "name", "title", "url", "link", "number", "type", "key", "names", "topic", "language") && x.findAny(cInclude|cSend, k, i) < 0 {
			return true
		}
	}
	return false
}
