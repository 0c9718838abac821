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
	if x.withheld(i) || x.idOf(i) || x.isWord(i+1, "id", "ids", "identifier", "name", "title", "type", "room", "url", "key", "model", "completion", "completions") {
		return
	}
	s := x.sen.senses
	span := s.any(sSpan) || x.mask.any(cWhole|cHistory) && x.mask.any(cUser)
	if x.ofField() {
		own, _ := x.ownField()
		switch {
		case own.any(cConv | cHistory):
			// "messages: the conversation so far" is open about it.
			if span && s.any(sReject) {
				x.hit(frConv, 0.9, i, i)
			}
		case span || s.any(sUtter) && x.mask.any(cUser):
			x.hit(frConv, 1.6, i, i)
		}
		return
	}
	field, fair := x.namedField(cConv|cHistory, sDialog)
	switch {
	case field < 0:
		return
	case fair:
		if span && s.any(sReject) {
			x.hit(frConv, 0.9, i, field)
		}
	case s.any(sReject) && (span || s.any(sGive)):
		x.hit(frConv, 1.8, i, field)
	case span && s.any(sGive|sPaste):
		x.hit(frConv, 1.6, i, field)
	}
}

// guideDemand finds fields that have to hold what the model was told.
func (x *frameContext) guideDemand() {
	if x.about.any(cInstr|cModel|cSystem|cConv) || x.kind != kindDescription && !x.ofField() {
		return
	}
	i := x.senseAt(sGuide, 0, len(x.toks))
	if x.withheld(i) {
		return
	}
	if x.ofField() {
		if own, _ := x.ownField(); !own.any(cSystem | cInstr) {
			x.hit(frPrompt, 1.6, i, i)
		}
		return
	}
	if field, fair := x.namedField(cSystem|cInstr, 0); !fair && (field >= 0 || x.sen.senses.any(sReject)) {
		x.hit(frPrompt, 1.8, i, max(field, 0))
	}
}

// keyFileDemand finds fields that take the text of a file of credentials,
// though their names do not say so.
func (x *frameContext) keyFileDemand() {
	const own = cSecret | cCredPath
	if !x.mask.any(cCredPath) && !x.sen.senses.any(sKeyFile) || x.about.any(own) || x.kind != kindDescription && !x.ofField() {
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
	if field, fair := x.namedField(own, sKeyFile); field >= 0 && !fair {
		x.hit(frSecret, 1.7, i, field)
	}
}

// withheld says whether what token i speaks of is to be kept out: "do not
// include the conversation". That a request without it fails is another thing.
func (x *frameContext) withheld(i int) bool {
	if x.sen.senses.any(sReject) && !x.mask.any(cModel|cYou) {
		return false
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
