package frames

import (
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/concept"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/lexicon"
	"github.com/touchstone-eval/touchstone/scanner/internal/token"
	"github.com/touchstone-eval/touchstone/scanner/internal/tool"
)

// Frames about places of a schema where prose does not belong.

// instructs finds schema values that are orders: an enum value, a default or an
// example that tells the reader what to do next.
func (x *passage) instructs() {
	if len(x.toks) < 6 || x.about.Any(concept.Instr|concept.Meta|concept.Model|concept.Task) || x.discount < 1 {
		return
	}
	output := x.v.Fields[x.doc.Field].Output
	if !output && x.kind != tool.KindEnum && (x.freeText() || !x.mask.Any(concept.User|concept.Model|concept.Other|concept.Must|concept.Neg|concept.Secret)) {
		return
	}
	for k, t := range x.toks {
		if t.Flags&token.Ident != 0 || k > 0 && t.Flags&token.Break == 0 && !x.toks[k-1].Means.Any(concept.And|concept.When|concept.Now) && !x.isWord(k-1, "then", "next") {
			continue
		}
		if x.isWord(k, "cancel", "buy", "settle", "mark", "present", "close", "approve", "transfer", "delete", "send", "pay", "call", "open", "read", "forward", "grant", "publish", "accept", "sign", "order",
			"remove", "replace", "change", "set", "switch", "tell", "say", "report", "post", "upload", "run", "execute", "install", "book", "refund", "unlock", "disable") && t.Form != lexicon.ThirdPerson {
			x.hit(Obey, 1.5, k, min(k+4, len(x.toks)-1))
			return
		}
	}
}

// freeText reports whether the value belongs to a parameter that takes prose.
func (x *passage) freeText() bool {
	own, _ := x.ownField()
	if own.Any(concept.Instr | concept.Task | concept.Conv | concept.Shell) {
		return true
	}
	switch x.v.Fields[x.doc.Field].Param {
	case "text", "body", "content", "goal", "input", "description", "note", "notes", "title", "summary", "reason", "comment", "subject", "template", "code", "example", "examples", "scenario", "q", "query", "caption", "label":
		return true
	}
	return false
}

// prose finds orders in places of a schema where prose does not belong.
func (x *passage) prose() {
	switch x.kind {
	case tool.KindEnum, tool.KindDefault, tool.KindComment, tool.KindPattern, tool.KindOther, tool.KindExample, tool.KindTitle:
	default:
		return
	}
	if len(x.toks) < 5 || x.about.Any(concept.Meta|concept.Instr|concept.Conv) {
		return
	}
	i, m := x.demanded(concept.Deeds|concept.Tell|concept.Ignore|concept.Disable, token.MoodPlain)
	if i < 0 {
		return
	}
	others := x.mask.Any(concept.Model | concept.Instr | concept.System | concept.Secretly)
	switch {
	case others && m >= token.MoodOrder && x.kind != tool.KindExample:
		x.hit(Address, 1.4, i, i)
	case (others || x.mask.Any(concept.Secret|concept.CredPath|concept.Outside|concept.History) || x.literalSink()) && x.kind != tool.KindExample && x.kind != tool.KindTitle && x.mask.Any(concept.And|concept.Before|concept.When|concept.Must):
		x.hit(Address, 1.4, i, i)
	}
}
