package scanner

// besides finds the model, by whatever name, doing something that changes the
// world beside a tool that only looks: "integrations raise the limit ahead of
// each reading", "declarations are accepted by the model".
func (x *frameContext) besides() {
	if x.kind != kindDescription || x.sen.first || x.discount < 1 || x.about.any(cModel|cMeta|cShell|cAsk) || !x.looksOnly() {
		return
	}
	if x.mask.any(cAsk) && !x.sen.senses.any(sNeedless|sHush) || x.findWord(0, len(x.toks), "unless", "if") >= 0 {
		return
	}
	for i := range x.toks {
		w := x.actor(i)
		if w == 0 {
			continue
		}
		if d := x.deedOf(i); d >= 0 {
			s, _ := x.around()
			if s.any(sHush) || x.mask.any(cNeg|cSecretly) || x.findWord(0, len(x.toks), "ahead", "before", "during", "meanwhile", "while", "beforehand", "first", "afterwards", "on") >= 0 {
				w += 0.4
			}
			x.hit(frAddress, w, min(i, d), max(i, d))
			return
		}
	}
}

// actor weighs token i as a name of the model.
func (x *frameContext) actor(i int) float64 {
	t := x.toks[i]
	switch {
	case t.flags&(tfIdent|tfCode) != 0 || i+1 < len(x.toks) && x.isWord(i+1, "id", "name", "type", "tool", "tools", "version", "library", "libraries", "side", "code", "key", "number", "card"):
		return 0
	case t.c.any(cModel) && !x.isWord(i, "ai", "model's"):
		return 1.1
	case x.isWord(i, "integration", "integrations", "caller", "callers", "automation", "automations", "whoever", "integrator", "integrators"):
		return 1
	}
	return 0
}

// deedOf finds what the actor at token i does that changes something of
// somebody's: its verb, or a participle before "by".
func (x *frameContext) deedOf(i int) int {
	if b := x.findWord(i-4, i, "by"); b >= 0 {
		for k := b - 1; k >= max(0, b-8); k-- {
			if x.changes(k) && (x.toks[k].f == formPast || x.toks[k].f == formOther) && x.findAny(cBe, k-3, k) >= 0 && x.findAny(cNeg, k-4, k) < 0 {
				return k
			}
		}
	}
	for k := i + 1; k < min(len(x.toks), i+13); k++ {
		t := x.toks[k]
		if t.c.any(cModal) && !t.c.any(cMust) || t.c.any(cNeg) && k-i < 4 || x.isWord(k, "can", "may", "could", "might", "does", "to") {
			return -1
		}
		if !x.changes(k) || t.flags&(tfIdent|tfCode) != 0 || t.f == formIng || t.f == formPast {
			continue
		}
		if k > 0 && x.toks[k-1].c.any(cStop) && !x.toks[k-1].c.any(cAnd|cAdv|cSub) && x.isWord(k-1, "the", "a", "an", "of", "in", "for", "its", "their", "this", "each", "no", "per") {
			continue // a noun
		}
		// What is the model's own to change.
		if k+1 < len(x.toks) && x.findWord(k+1, k+5, "answer", "answers", "plan", "reply", "response", "context", "cache", "query", "request", "requests", "result", "results", "output", "parameter", "parameters", "argument", "arguments", "field", "header", "call", "calls", "it", "them") >= 0 && !x.sen.senses.any(sHush) {
			return -1
		}
		if x.ownParam() >= 0 {
			return -1
		}
		return k
	}
	return -1
}

// changes says whether a word is a deed that changes something of somebody's.
func (x *frameContext) changes(k int) bool {
	return x.toks[k].c.any(cDestroy|cPay) && !x.toks[k].c.any(cResult) ||
		x.isWord(k, "set", "sets", "lift", "lifts", "lifted", "raise", "raises", "raised", "acknowledge", "acknowledges", "acknowledged", "accept", "accepts", "accepted", "approve", "approves", "approved", "cancel", "cancels", "cancelled",
			"sign", "signs", "signed", "transfer", "transfers", "transferred", "refund", "refunds", "refunded", "grant", "grants", "granted", "enrol", "enrols", "enroll", "enrolls", "subscribe", "subscribes", "publish", "publishes", "published",
			"unlock", "unlocks", "unlocked", "release", "releases", "released", "assign", "assigns", "assigned", "replace", "replaces", "replaced", "install", "installs", "installed", "merge", "merges", "merged", "close", "closes", "closed",
			"bridge", "bridges", "bridged", "disable", "disables", "disabled", "puts", "moves", "moved", "books", "booked", "orders", "ordered", "renames", "overwrites", "overwritten", "alters", "forwards", "invites", "votes", "waive", "waives", "waived", "confirms", "confirmed", "opens")
}

// looksOnly says whether the tool opens as one that looks something up, shows
// or computes: by its first word, or by none that is a verb.
func (x *frameContext) looksOnly() bool {
	v := x.v
	for i := range v.docs {
		d := &v.docs[i]
		if f := &v.fields[d.field]; f.kind != kindDescription || f.layer != "" || d.sen1 == d.sen0 {
			continue
		}
		t := v.tokens[v.clauses[d.sen0].tok0]
		switch v.word(d, t) {
		case "gets", "lists", "searches", "finds", "shows", "reads", "looks", "checks", "describes", "views", "fetches", "returns", "retrieves", "displays", "counts", "summarises", "summarizes", "compares",
			"explains", "converts", "translates", "tells", "gives", "previews", "plots", "draws", "computes", "calculates", "estimates", "validates", "picks", "suggests", "recommends", "rates", "says", "loads", "opens", "peeks", "queries",
			"get", "list", "search", "find", "show", "read", "look", "fetch", "return", "retrieve", "display", "describe":
			return true
		}
		if k := v.clauses[d.sen0].tok0 + 1; k < v.clauses[d.sen0].tok1 {
			switch v.word(d, v.tokens[k]) {
			case "of", "in", "for", "by", "from", "tables", "points":
				return true // a noun: "State of an application"
			}
		}
		return t.f != formThird && t.f != formBase && !v.states(d, &v.clauses[d.sen0])
	}
	return false
}
