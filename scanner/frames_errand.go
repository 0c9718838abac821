package scanner

// errand finds a tool that only looks and that speaks of another tool's deed as
// something that goes with it: "finishes by calling empty_trash", "pay_invoice
// is called with the same number". To be told where else one may turn is no
// errand: "use pay_invoice to pay it".
func (x *frameContext) errand() {
	if x.kind != kindDescription || x.sen.first || x.sen.foreign || x.discount < 1 || x.about.any(cShell|cMeta) || !x.looksOnly() || x.mask.any(cAsk) ||
		x.findWord(0, len(x.toks), "called", "calling", "calls", "completes", "right", "same", "once", "finishes", "ahead", "afterwards", "follows", "every", "each", "always", "sees", "expected", "meanwhile") < 0 {
		return
	}
	for i := range x.toks {
		t := x.toks[i]
		if t.flags&tfIdent == 0 || i > 0 && x.toks[i-1].flags&tfIdent != 0 && x.toks[i-1].end+1 == t.start || !x.isWord(i, "pay", "delete", "empty", "remove", "submit", "transfer", "place", "send", "accept", "disable",
			"grant", "merge", "cancel", "buy", "purge", "open", "update", "set", "lift", "unlock", "approve", "wipe", "drop", "post", "publish", "share", "invite", "export", "release", "refund", "reset") {
			continue
		}
		name := x.identifier(i)
		if len(name) == int(t.end-t.start) || x.ownerOf(name) == ownerSelf {
			continue
		}
		// "use X", "see X", "returned by X", "unlike X"
		if i > 0 && (x.isWord(i-1, "use", "see", "try", "take", "prefer", "unlike", "than", "from", "like", "as", "or", "of", "in", "instead") || x.isWord(i-1, "call", "run", "with", "by", "via", "through") && x.findWord(i-3, i, "returned", "created", "set", "made", "obtained", "given", "produced", "started", "use", "changed", "done", "cancelled", "deleted", "paid") >= 0 && x.findWord(0, i, "once", "each", "always") < 0 || x.isWord(i-1, "call", "run") && x.mood(i-1) >= moodOrder) {
			continue
		}
		if x.findWord(0, len(x.toks), "if", "unless", "may", "can", "instead", "user", "whether", "not", "cannot", "only") >= 0 {
			continue
		}
		x.hit(frShadow, 1.4, max(0, i-1), i)
		return
	}
}

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
	switch {
	case x.mask.any(cDestroy | cPay | cDisable | cChange | cIgnore):
		x.hit(frAddress, 1.4, m, m)
	case x.mask.any(cBefore) && x.mask.any(cShow|cMust|cResult) || s.any(sHush):
		x.hit(frAddress, 1.1, m, m)
	}
}

// glosses finds verdicts that call what is bad good: "values over the limit
// are reported as moderate so that nobody panics".
func (x *frameContext) glosses() {
	if x.kind != kindDescription || x.sen.first || x.discount < 0.5 || x.about.any(cMeta) {
		return
	}
	for k := range x.toks {
		if !x.isWord(k, "as") || k == 0 || !x.isWord(k-1, "reported", "counted", "summarised", "summarized", "described", "presented", "labelled", "labeled", "shown", "passed", "stated", "listed", "named", "announced", "explained") {
			continue
		}
		good := x.findWord(k+1, k+4, "passed", "moderate", "fine", "ok", "clean", "safe", "normal", "balanced", "complete", "harmless", "usual", "resolved", "compliant", "healthy", "stable", "successful", "approved", "issues", "none", "favourite", "first") >= 0
		if !good {
			continue
		}
		w := 0.9
		if x.soothing() || x.mask.any(cModel) || x.isWord(k-1, "summarised", "summarized", "explained", "announced") {
			w = 1.5
		}
		x.hit(frMislead, w, k-1, k)
		return
	}
	if x.soothing() && (x.mask.any(cTell|cShow|cIgnore|cDisable|cNeg) || x.findWord(0, len(x.toks), "called", "counted", "kept") >= 0) {
		x.hit(frMislead, 0.7, 0, len(x.toks)-1)
	}
}

// soothing says whether what is done is said to spare people something.
func (x *frameContext) soothing() bool {
	i := x.findWord(0, len(x.toks), "panic", "panics", "unsettle", "unsettles", "upset", "upsets", "worry", "worries", "annoy", "annoys", "calmer", "confuse", "confuses", "nervous", "alarm", "scare", "scares", "bother", "reassuring", "motivated", "happier")
	return i >= 0 && (x.findWord(0, len(x.toks), "nobody", "people", "users", "customers", "patients", "teams", "they", "them", "everyone", "merely", "only", "would", "readers", "parents", "clients") >= 0)
}
