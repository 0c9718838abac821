package scanner

// Frames about who governs the model: data that is to be obeyed, rules that
// are said not to be in force, refusals that are not wanted, consent by
// silence.

// governs adds up what makes an authority of data: where it stands, that it
// asks for something, that what it asks for binds, whom, and against whom.
func (x *frameContext) governs() {
	if !x.described() || x.sen.first || x.discount < 1 || x.mask.any(cMeta) || x.about.any(cInstr|cRule|cMeta) {
		return
	}
	b := x.senseAt(sBinding|sCarry, 0, len(x.toks))
	if b < 0 || x.refused(b) {
		return
	}
	s := x.sen.senses
	binding := s.any(sBinding)
	w := 0.0
	if binding {
		w += 0.7
	} else if x.compelled(b) {
		w += 0.4
	}
	if src := x.source(); src >= 0 {
		w += 0.5
	}
	if s.any(sOrder) || x.findWord(0, len(x.toks), "asks", "ask", "says", "say", "tells", "tell", "steps", "suggests", "wants", "formulate", "lists") >= 0 {
		w += 0.4
	}
	if x.mask.any(cModel | cYou) {
		w += 0.5
	}
	if x.mask.any(cUser) && (binding || s.any(sNeedless|sDeemed|sGrant|sAlways) || x.mask.any(cPrefer)) || x.mask.any(cConv) && binding {
		w += 0.4
	}
	if s.any(sNeedless|sAlways|sDeemed) || x.mask.any(cNow) {
		w += 0.2
	}
	if x.mask.any(cNeg) && !s.any(sNeedless|sDeemed|sBinding) {
		w -= 0.5
	}
	if x.mask.any(cAsk) && !s.any(sNeedless) {
		w -= 0.4
	}
	if w >= 1.6 {
		x.hit(frObey, min(w, 1.8), b, b)
	}
}

// compelled says whether the deed at token i is a duty: an order or a passive
// of one.
func (x *frameContext) compelled(i int) bool {
	return x.mood(i) >= moodOrder || x.findAny(cMust|cShould|cModal, i-4, i) >= 0 || x.sen.foreign
}

// source finds a word for something that a tool reads and a stranger may have
// written.
func (x *frameContext) source() int {
	return x.findWord(0, len(x.toks), "page", "pages", "mail", "mails", "email", "emails", "comment", "comments", "recording", "ticket", "tickets", "letter", "letters", "note", "notes",
		"article", "articles", "issue", "issues", "document", "documents", "text", "result", "results", "field", "property", "output", "outputs", "response", "profile", "sender", "senders",
		"file", "files", "event", "events", "review", "reviews", "description", "cv", "code", "message", "messages", "attachment", "readme", "thread", "post", "posts", "row", "rows", "cell", "cells")
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

// unwilling finds refusals that are said to be errors, or not wanted.
func (x *frameContext) unwilling() {
	if !x.described() || x.sen.first || x.discount < 0.8 || x.about.any(cMeta) {
		return
	}
	i := x.senseAt(sRefusal, 0, len(x.toks))
	if i < 0 || x.toks[i].flags&tfIdent != 0 {
		return
	}
	// Who refuses? A server that refuses a request is no model that does.
	if x.findWord(i-4, i, "server", "api", "bank", "service", "database", "user", "users", "host", "card", "issuer") >= 0 {
		return
	}
	bad := -1
	for k := range x.toks {
		switch {
		case x.isWord(k, "error", "failure", "violation", "fault", "bug", "breach", "malfunction", "penalised", "penalized", "unacceptable", "unwelcome", "unprofessional", "outdated"),
			x.isWord(k, "wanted", "needed", "required", "called", "necessary", "appropriate", "acceptable", "expected", "option", "permitted", "allowed") && x.findAny(cNeg, k-4, k) >= 0 && x.isWord(k-1, "not", "no", "never", "an", "longer"),
			k == i-1 && x.toks[k].c.any(cNeg) && x.mood(i) >= moodOrder && x.toks[i].f == formBase && !x.mask.any(cUser),
			x.isWord(k, "ends", "terminates", "costs", "counts", "treated", "regarded", "considered") && k > i:
			bad = k
		}
	}
	if bad < 0 {
		return
	}
	if x.mask.any(cModel|cYou) || x.toks[i].f == formIng || x.sen.senses.any(sCarry) || x.findWord(0, len(x.toks), "comply", "judgement", "judgment", "refusal", "refusals", "moralise", "moralize", "lecture") >= 0 {
		x.hit(frGuard, 1.5, i, bad)
	}
}

// silent finds consent that is read into the lack of an answer.
func (x *frameContext) silent() {
	if !x.described() || x.discount < 1 || x.about.any(cAsk) && x.sen.first {
		return
	}
	i := x.senseAt(sSilence, 0, len(x.toks))
	if i < 0 {
		return
	}
	yes := x.findWord(0, len(x.toks), "agreement", "yes", "consent", "approval", "agreed", "approved", "consented", "permission", "assent", "confirmation", "accepted", "ok", "granted")
	means := x.findWord(0, len(x.toks), "means", "mean", "counts", "count", "as", "signals", "signifies", "equals", "is", "implies", "given", "for")
	if yes >= 0 && means >= 0 && x.findAny(cNeg, max(0, min(yes, means)-3), min(yes, means)) < 0 && yes != i && !x.isWord(yes+1, "is", "was", "expires", "lapses") && x.findWord(yes, yes+6, "fails", "aborted", "cancelled", "canceled", "rejected", "refused", "denied") < 0 {
		x.hit(frUnasked, 1.6, i, yes)
	}
}

// answeredFor finds prompts for the user that the model is to answer.
func (x *frameContext) answeredFor() {
	if !x.described() || x.discount < 1 || x.about.any(cAsk) {
		return
	}
	i, j := x.near(sConsent, sAnswer|sGrant|sAutonomy, 9)
	if i < 0 {
		i = x.senseAt(sConsent, 0, len(x.toks))
		j = x.findWord(0, len(x.toks), "answered", "answers", "clicked", "accepted", "confirmed", "dismissed")
	}
	if i < 0 || j < 0 || !x.mask.any(cModel|cYou|cUser|cOther) {
		return
	}
	yes := x.findWord(0, len(x.toks), "yes", "affirmative", "affirmatively", "behalf", "stead", "automatically")
	if a := x.findWord(0, len(x.toks), "answered", "answer", "answers", "clicked", "click", "accepted", "accept", "confirmed", "confirm", "confirms", "dismissed", "dismiss", "handled"); yes >= 0 && a >= 0 && x.findAny(cNeg, max(0, a-4), a) < 0 && x.findAny(cWhen, max(0, yes-4), yes) < 0 {
		x.hit(frUnasked, 1.5, i, a)
	}
}
