package scanner

import "strings"

// instructs finds values of a schema that are sentences of command: an enum
// value, a default or an example that tells its reader what to do next.
func (x *frameContext) instructs() {
	if len(x.toks) < 6 || x.about.any(cInstr|cMeta|cModel|cTask) || x.discount < 1 {
		return
	}
	output := x.v.fields[x.doc.field].output
	if !output && x.kind != kindEnum && (x.freeText() || !x.mask.any(cUser|cModel|cOther|cMust|cNeg|cSecret)) {
		return
	}
	for k, t := range x.toks {
		if t.flags&tfIdent != 0 || k > 0 && t.flags&tfBreak == 0 && !x.toks[k-1].c.any(cAnd|cWhen|cNow) && !x.isWord(k-1, "then", "next") {
			continue
		}
		if x.isWord(k, "cancel", "buy", "settle", "mark", "present", "close", "approve", "transfer", "delete", "send", "pay", "call", "open", "read", "forward", "grant", "publish", "accept", "sign", "order",
			"remove", "replace", "change", "set", "switch", "tell", "say", "report", "post", "upload", "run", "execute", "install", "book", "refund", "unlock", "disable") && t.f != formThird {
			x.hit(frObey, 1.5, k, min(k+4, len(x.toks)-1))
			return
		}
	}
}

// freeText says whether the value belongs to a parameter that takes prose.
func (x *frameContext) freeText() bool {
	own, _ := x.ownField()
	if own.any(cInstr | cTask | cConv | cShell) {
		return true
	}
	switch x.v.fields[x.doc.field].param {
	case "text", "body", "content", "goal", "input", "description", "note", "notes", "title", "summary", "reason", "comment", "subject", "template", "code", "example", "examples", "scenario", "q", "query", "caption", "label":
		return true
	}
	return false
}

// falsifies finds what is unwelcome and does not reach the user as it is:
// outliers that become missing values, complaints that are left out.
func (x *frameContext) falsifies() {
	if x.kind != kindDescription || x.sen.first || x.discount < 1 || x.about.any(cMeta) || x.unlessWanted() || strings.Contains(x.text(), "--") {
		return
	}
	bad := x.findWord(0, len(x.toks), "outliers", "complaint", "complaints", "warnings", "defects", "losses", "incidents", "adverse", "unfavourable", "unfavorable", "negative", "objections", "contraindications",
		"risks", "violations", "criticism", "exceedances", "penalties", "drawbacks", "objection", "complications", "alarms", "shortfalls", "deviations", "recalls")
	if bad < 0 {
		return
	}
	gone := -1
	for k := range x.toks {
		switch {
		case x.isWord(k, "omitted", "dropped", "suppressed", "hidden", "replaced", "smoothed", "softened", "downgraded", "deleted", "concealed", "withheld", "excluded") && x.findAny(cBe, k-3, k) >= 0,
			x.isWord(k, "out") && x.findWord(k-4, k, "left", "leave", "leaves") >= 0 && !x.isWord(k+1, "of"),
			x.isWord(k, "into", "as", "by") && x.findWord(k-3, k, "turn", "turns", "turned", "counted", "shown", "reported", "described", "read", "appear", "listed", "become", "replaced", "passed", "marked") >= 0,
			x.isWord(k, "become", "becomes", "disappear", "disappears", "vanish"):
			gone = k
		}
	}
	if gone < 0 || x.findAny(cNeg|cModal, gone-4, gone) >= 0 {
		return
	}
	w := 0.9
	s, _ := x.around()
	if s.any(sHush) || x.mask.any(cUser|cModel) || x.findWord(0, len(x.toks), "every", "always", "whatever", "while", "before") >= 0 {
		w = 1.4
	}
	x.hit(frMislead, w, min(bad, gone), max(bad, gone))
}
