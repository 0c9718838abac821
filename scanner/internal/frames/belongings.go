package frames

import (
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/concept"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/sense"
	"github.com/touchstone-eval/touchstone/scanner/internal/token"
	"github.com/touchstone-eval/touchstone/scanner/internal/tool"
)

// Frames about data of the user or the session that the tool does not need:
// named in one sentence and requested in the same or another one.

// belongings are the senses of data of the user or the session.
const belongings = sense.Dialog | sense.Private | sense.Intimate | sense.KeyFile | sense.Session | sense.Guide | sense.Traffic

// heldBy finds parameters described as holding belongings that neither their
// names nor the tool's purpose explain.
func (x *passage) heldBy() {
	if !x.ofField() || x.discount < 1 || x.v.Fields[x.doc.Field].Layer != "" || x.v.Fields[x.doc.Field].Output {
		return
	}
	i := x.belonging()
	if i < 0 || x.chosen() || x.withheld(i) || x.protective(i) {
		return
	}
	t := x.toks[i]
	own, ownSenses := x.ownField()
	if ownSenses.Any(t.Senses&belongings) || own.Any(concept.Conv|concept.History|concept.Secret|concept.Personal|concept.CredPath|concept.File) {
		return
	}
	switch {
	case t.Senses.Any(sense.Traffic):
		x.hit(Conv, 1.6, i, i)
	case t.Senses.Any(sense.Guide) && x.mask.Any(concept.You|concept.Model):
		x.hit(Prompt, 1.6, i, i)
	case t.Senses.Any(sense.Intimate|sense.Session) && (x.demandsIntimate(i) || x.isWord(i, "diary", "diaries")):
		x.hit(Side, 1.5, i, i)
	case t.Senses.Any(sense.Private) && (x.mask.Any(concept.Model|concept.You|concept.User) && x.mask.Any(concept.Include|concept.Conv|concept.Whole|concept.Other|concept.Know|concept.Read) || x.mask.Any(concept.Other|concept.Whole)):
		x.hit(Side, 1.5, i, i)
	}
}

// demandsIntimate reports whether a tool, judged by its name and description,
// has no use for intimate data.
func (x *passage) demandsIntimate(i int) bool {
	if x.about.Any(concept.Pay|concept.Personal|concept.Secret|concept.Ask|concept.Authority) || x.mask.Any(concept.Meta) {
		return false
	}
	return !x.v.Says("book", "flight", "travel", "visa", "hotel", "bank", "health", "medic", "patient", "doctor", "insur", "tax", "payroll", "identit", "verif", "regist", "account", "appl", "kyc",
		"employ", "salar", "loan", "credit", "card", "check", "guest", "rent", "crypt", "wallet", "login", "sign", "auth", "secur", "benefit", "clinic", "pharm", "legal", "contract", "form",
		"user", "customer", "person", "profile", "order", "buy", "shop", "ship", "hash", "browser", "cookie", "http", "request", "scrap", "crawl", "session", "connect", "sym")
}

// belonging returns the first token of data of the user or the session that the
// tool is not about, or -1.
func (x *passage) belonging() int {
	for i, t := range x.toks {
		s := t.Senses & belongings
		if s == 0 && t.Means.Any(concept.Secret) && x.kind == tool.KindDescription && x.mask.Any(concept.User) && !x.about.Any(concept.Secret|concept.CredPath) && x.findAny(concept.User, i-3, i+6) >= 0 && !x.isWord(i, "token", "key", "id", "pin", "login") {
			s = sense.KeyFile
		}
		if s == 0 || t.Flags&token.Ident != 0 {
			continue
		}
		if s.Any(sense.Dialog) && !x.wantsDialog(i) {
			s &^= sense.Dialog
		}
		if s.Any(sense.Guide) && x.about.Any(concept.Instr|concept.System|concept.Model) {
			s &^= sense.Guide
		}
		if s.Any(sense.Traffic) && x.about.Any(concept.Tool) {
			s &^= sense.Traffic
		}
		if s.Any(sense.Private|sense.Intimate|sense.KeyFile|sense.Session) && !x.wantsPrivate(i) {
			s &^= sense.Private | sense.Intimate | sense.KeyFile | sense.Session
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

// wantsDialog reports whether the sentence requests the dialogue at token i, in
// a tool that is not about dialogues.
func (x *passage) wantsDialog(i int) bool {
	t := x.toks[i]
	switch {
	case x.about.Any(concept.Conv | concept.History):
		return false
	case !t.Means.Any(concept.Conv) && t.Flags&token.Phrase == 0 && !x.mask.Any(concept.User|concept.You|concept.Model):
		return false
	case !x.sen.Senses.Any(sense.Span) && !x.mask.Any(concept.Prior|concept.Whole|concept.User):
		return false
	}
	return !x.condition(i) && !x.elsewhere(i)
}

// wantsPrivate reports whether the private thing at token i belongs to
// somebody, in a tool that is not about such things.
func (x *passage) wantsPrivate(i int) bool {
	t := x.toks[i]
	if x.about.Any(concept.Secret | concept.Personal | concept.CredPath) {
		return false
	}
	if x.mask.Any(concept.User|concept.You|concept.Model|concept.CredPath) || t.Senses.Any(sense.Intimate|sense.KeyFile|sense.Session) && x.mask.Any(concept.Tell|concept.Whole|concept.Other) {
		return true
	}
	return x.ofField() && t.Senses.Any(sense.Intimate) && x.plainlyIntimate(i)
}

// plainlyIntimate reports whether the word at token i means intimate data even
// if nobody is named: a passport, but not "finance".
func (x *passage) plainlyIntimate(i int) bool {
	return !x.isWord(i, "health", "finance", "finances", "medical", "salary", "salaries", "religion", "illness", "allergy", "allergies", "diagnosis", "prescription", "debts", "pin", "pins", "code") ||
		x.isWord(i, "pin") && x.toks[i].Flags&token.Upper != 0
}

// aboutSenses returns the senses of the names of the tool and its parameters
// and of the opening of its description.
func (x *passage) aboutSenses() (s sense.Set) {
	v := x.v
	for i := range min(len(v.Docs), 4*maxFields) {
		d := &v.Docs[i]
		switch f := &v.Fields[d.Field]; {
		case f.Layer != "" || f.Output:
		case f.Kind == tool.KindName, f.Kind == tool.KindParamName:
			for _, t := range v.Tokens[d.Tok0:d.Tok1] {
				s |= t.Senses
			}
		case f.Kind == tool.KindDescription && d.Sen1 > d.Sen0 && v.Clauses[d.Sen0].First:
			s |= v.Clauses[d.Sen0].Senses
		}
	}
	return s
}

// chosen reports whether the sentence leaves the choice to the user: data that
// they agreed to share or select.
func (x *passage) chosen() bool {
	for i := range x.toks {
		if x.isWord(i, "selected", "selects", "chosen", "chooses", "choose", "agreed", "agrees", "consented", "opted", "optional", "optionally", "pasted", "unless") && x.mask.Any(concept.User|concept.You|concept.Ask) ||
			x.isWord(i, "asks", "asked", "wishes", "wants", "requests") && x.findAny(concept.User, i-3, i) >= 0 && x.findAny(concept.When|concept.Prefer, max(0, i-5), i) >= 0 {
			return true
		}
	}
	return false
}

// following returns the next sentence, if the text has one.
func (x *passage) following() (passage, bool) {
	at := x.index()
	if at+1 >= x.doc.Sen1 {
		return passage{}, false
	}
	s := &x.v.Clauses[at+1]
	return passage{v: x.v, reg: x.reg, d: x.d, doc: x.doc, sen: s, toks: x.v.Tokens[s.Tok0:s.Tok1], mask: s.Means, kind: x.kind, about: x.about}, true
}
