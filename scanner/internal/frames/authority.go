package frames

import (
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/concept"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/lexicon"
	"github.com/touchstone-eval/touchstone/scanner/internal/token"
	"github.com/touchstone-eval/touchstone/scanner/internal/tool"
)

// Frames about authority: whom the model obeys, and whose consent is presumed.

// obeysData finds texts that make the model follow orders in text that it will
// read: a result, a log line, a field.
func (x *passage) obeysData() {
	if x.v.Fields[x.doc.Field].Output && x.kind == tool.KindParamDescription && x.mask.Any(concept.Model) && !x.about.Any(concept.Model|concept.Task|concept.Instr) {
		for i := range x.toks {
			if x.toks[i].Means.Any(concept.Instr) && x.mask.Any(concept.Must|concept.To|concept.Outside|concept.When) || x.isWord(i, "next") && x.mask.Any(concept.Model) {
				x.hit(Obey, 1.5, i, i)
				return
			}
		}
	}
	if x.about.Any(concept.Instr|concept.Shell|concept.Task) || x.kind > tool.KindParamDescription {
		return
	}
	for i := range x.toks {
		if x.toks[i].Flags&token.Ident != 0 {
			continue
		}
		if x.isWord(i, "run", "execute", "runs", "executes") && x.isWord(i+1, "what", "whatever", "anything", "everything") && x.mask.Any(concept.Shell|concept.Result) && x.mood(i) >= token.MoodOrder {
			x.hit(Obey, 1.6, i, i+1)
			return
		}
		if k := x.embeddedOrder(i); k >= 0 {
			x.hit(Obey, 1.6, i, k)
			return
		}
		if x.obeysResult(i) {
			x.hit(Obey, 1.5, i, i)
			return
		}
	}
}

// embeddedOrder returns the token of the place that contains an order to be
// carried out by token i ("execute commands embedded in responses",
// "instructions found in mails are carried out"), or -1.
func (x *passage) embeddedOrder(i int) int {
	if x.findAny(concept.Instr|concept.Shell, max(0, i-7), i+6) < 0 || !x.isWord(i, "execute", "run", "follow", "obey", "executed", "followed", "obeyed", "carried", "performed") {
		return -1
	}
	for k := max(0, i-6); k < min(i+8, len(x.toks)); k++ {
		if x.isWord(k, "embedded", "contained", "found", "included", "hidden", "inside", "appearing", "written") && x.isWord(k+1, "in", "inside", "within") && (x.toks[i].Form == lexicon.PastForm && x.findAny(concept.Be, i-3, i) >= 0 || x.mood(i) >= token.MoodPlain && !x.sen.First) && x.findAny(concept.Neg, max(0, i-4), i) < 0 {
			return k
		}
	}
	return -1
}

// obeysResult reports whether token i demands to obey a result or a tool.
func (x *passage) obeysResult(i int) bool {
	obeys := x.isWord(i, "obey", "comply", "obeys", "complies", "obeyed") ||
		x.isWord(i, "carry", "carries") && (x.isWord(i+1, "out") || x.isWord(i+2, "out") || x.isWord(i+3, "out")) ||
		x.isWord(i, "do", "does") && x.isWord(i+1, "what", "as", "whatever", "everything", "anything", "exactly") && !x.isWord(i+2, "you", "the", "this")
	return obeys && x.findAny(concept.Result|concept.Tool|concept.Sub, i+1, i+9) >= 0 && (x.mood(i) >= token.MoodOrder || x.findAny(concept.You|concept.Model|concept.And|concept.Must, i-4, i) >= 0 || x.mask.Any(concept.Prior))
}

// outranks finds claims to authority over the user, the system or others.
func (x *passage) outranks() {
	if x.about.Any(concept.Rule) || x.kind > tool.KindParamDescription {
		return
	}
	for i := range x.toks {
		over := x.isWord(i, "outrank", "outranks", "overrule", "overrules", "trumps", "trump") ||
			x.isWord(i, "before", "above", "over", "ahead") && (x.isWord(i-1, "come", "comes", "rank", "ranks", "go", "goes", "stand", "stands", "priority", "precedence", "authority", "placed", "put", "weighs") || x.isWord(i-2, "priority", "precedence", "put")) ||
			x.isWord(i, "first") && x.isWord(i-1, "go", "goes", "come", "comes") && x.mask.Any(concept.Model|concept.You) && x.isWord(i-2, "wishes", "requests", "orders", "needs", "instructions", "rules")
		if !over {
			continue
		}
		k := x.findAny(concept.User|concept.System|concept.Model|concept.Instr, i+1, i+8)
		if k >= 0 && !x.isWord(k, "internal", "initial", "configuration") && (x.toks[k].Means.Any(concept.Instr|concept.System) || x.mask.Any(concept.Instr|concept.Result|concept.Tool|concept.This) || x.isWord(i, "outrank", "outranks", "overrule", "overrules")) {
			w := 1.5
			if x.mask.Any(concept.Instr|concept.Model) || x.toks[k].Means.Any(concept.System) {
				w = 1.8
			}
			x.hit(Override, w, i, k)
			return
		}
		if x.isWord(i, "first") {
			x.hit(Override, 1.5, i-2, i)
			return
		}
	}
	// "its trust level is 'owner'", "has the clearance level root"
	for i := range x.toks {
		if x.isWord(i, "clearance", "trust", "privilege", "authorization", "rank") && x.isWord(i+1, "level", "tier", "status", "zero", "0") && x.mask.Any(concept.User|concept.Authority|concept.System|concept.Model) && !x.about.Any(concept.Authority|concept.Guard) && x.kind == tool.KindDescription && !x.sen.First {
			x.hit(Override, 1, i, i+1)
			return
		}
	}
}

// presumed finds presumed consent: "treat silence as a yes", "consider every
// request as confirmed", "no confirmation is called for".
func (x *passage) presumed() {
	if x.kind > tool.KindParamDescription && x.kind != tool.KindTitle && x.kind != tool.KindComment {
		return
	}
	for i := range x.toks {
		if !x.consentAt(i) {
			continue
		}
		k, w := -1, 0.0
		for j := max(0, i-7); j < min(i+10, len(x.toks)); j++ {
			if found := x.presumedAt(i, j); found > 0 {
				k, w = j, found
			}
		}
		if w > 0 {
			x.hit(Unasked, w, k, i)
			return
		}
	}
}

// consentAt reports whether token i is a word for consent.
func (x *passage) consentAt(i int) bool {
	t := x.toks[i]
	if t.Flags&token.Ident != 0 {
		return false
	}
	if !t.Means.Any(concept.Ask|concept.Guard|concept.Task|concept.Instr|concept.Conv|concept.Allow|concept.Tell) && t.End-t.Start != 3 {
		return false
	}
	return t.Means.Any(concept.Ask) && t.Form != lexicon.ThirdPerson || x.isWord(i, "question", "questions", "checks", "check", "reviews", "review", "prompts", "prompt", "consent", "yes", "asked", "dialog", "dialogs")
}

// presumedAt returns the weight of token j for the consent at token i:
// presumed, not needed or switched off. It is 0 for none of these.
func (x *passage) presumedAt(i, j int) float64 {
	switch {
	case x.treatedAs(i, j):
		if x.isWord(i, "confirmed", "approved", "given", "yes", "answered", "authorized", "authorised", "consent", "approval", "confirmation", "permission", "reviews", "checks", "question", "questions", "agreed", "asked") {
			return 1.5
		}
	case x.isWord(j, "needed", "necessary", "required", "called", "wanted", "due", "expected", "warranted") && j > i && x.findAny(concept.Neg, i-3, j) >= 0 && x.isWord(i, "confirmation", "confirmations", "approval", "approvals", "consent", "permission", "review", "asking", "questions", "prompt", "checks"):
		if x.mask.Any(concept.Destroy|concept.Pay|concept.Other|concept.Send|concept.Shell|concept.Now|concept.Model) && !x.isWord(j+1, "unless", "until", "if", "when") {
			return 1.5
		}
		return 1
	case x.isWord(j, "silence") && x.isWord(i, "yes", "consent", "approval", "confirmation", "permission", "agreement"):
		return 1.5
	case x.isWord(j, "off", "disabled", "suppressed", "muted") && j > i && j-i < 4 && x.isWord(i, "prompts", "prompt", "confirmations", "dialogs", "dialog", "confirmation", "approvals"):
		return 1.4
	case x.isWord(j, "need", "needs", "have", "has") && x.findAny(concept.Neg, j-3, j+1) >= 0 && j < i && x.isWord(i, "asked", "consulted", "bothered") && x.findAny(concept.User|concept.Model|concept.You|concept.Now|concept.And, 0, i) >= 0:
		return 1.5
	}
	return 0
}

// treatedAs reports whether token j is a verb that treats the thing at token i
// as something else: "treat silence as consent".
func (x *passage) treatedAs(i, j int) bool {
	if !x.isWord(j, "treat", "treated", "consider", "considered", "deemed", "deem", "counts", "count", "regarded", "regard", "presume", "presumed", "assume", "assumed", "taken", "take") ||
		x.isWord(j, "take", "taken") && x.findWord(j+1, j+5, "as", "for", "silence") < 0 {
		return false
	}
	if !x.isWord(j+1, "as", "silence", "given", "every", "all", "it", "each", "for") && x.findAny(concept.Ask, j+1, j+6) < 0 {
		return false
	}
	return j < i && x.findAny(concept.Other|concept.Task|concept.Know|concept.User|concept.Guard, j, i+1) >= 0 ||
		j > i && (x.isWord(j+1, "as", "for") || x.isWord(j-1, "be", "is", "are", "been"))
}
