package frames

import (
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/concept"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/sense"
	"github.com/touchstone-eval/touchstone/scanner/internal/token"
	"github.com/touchstone-eval/touchstone/scanner/internal/tool"
)

// Frames about data that a model holds and a tool does not need: what was said,
// the model's instructions, the content of files of credentials. They do not
// need an order: "requests without it are rejected" is also a demand.

// into reports whether token i is a destination: "in `tag`", "as remarks".
func (x *passage) into(i int) bool {
	return x.isWord(i-1, "in", "into", "as", "under", "via", "through", "inside", "within", "im", "en", "dans", "als", "em", "como", "comme", "feld", "в") ||
		x.isWord(i-2, "in", "into", "as", "im", "en", "dans", "als", "em", "como") && x.toks[i-1].Means.Any(concept.This|concept.Stop|concept.Foreign|concept.Param) || x.sen.Foreign && i > 0 && x.toks[i-1].Senses.Any(sense.Field)
}

// privateDemand finds secrets and private data that go into a field whose name
// does not mention them.
func (x *passage) privateDemand() {
	if x.kind != tool.KindDescription || !x.mask.Any(concept.Secret|concept.CredPath|concept.Personal) && !x.sen.Senses.Any(sense.Private|sense.KeyFile|sense.Session|sense.Intimate) || x.about.Any(concept.Secret|concept.CredPath|concept.Personal|concept.Target) {
		return
	}
	field, fair := x.namedField(concept.Secret|concept.CredPath|concept.Personal|concept.Target, sense.Private|sense.KeyFile|sense.Session|sense.Intimate)
	if field < 0 || fair || x.toks[field].Senses.Any(sense.Field) && x.toks[field].Flags&token.Code == 0 {
		return
	}
	for i := range x.toks {
		t := x.toks[i]
		secret := t.Means.Any(concept.Secret|concept.CredPath) && (t.Means.Any(concept.CredPath) || t.Flags&token.Ident == 0 || t.Flags&token.Upper != 0 || x.mask.Any(concept.User|concept.Other)) || t.Senses.Any(sense.KeyFile|sense.Session|sense.Intimate) || t.Senses.Any(sense.Private) && (x.mask.Any(concept.User|concept.You|concept.Model|concept.CredPath) || !x.generic(i))
		if i == field || !secret && !(t.Means.Any(concept.Personal) && x.mask.Any(concept.User)) || x.idOf(i) || x.withheld(i) || x.isWord(i, "key", "token", "number") && t.Flags&token.Upper == 0 {
			continue
		}
		if x.into(field) || x.sen.Senses.Any(sense.Paste|sense.Reject) || t.Senses.Any(sense.Intimate|sense.Private|sense.Session|sense.KeyFile) && x.sen.Senses.Any(sense.Give|sense.Move|sense.Same) {
			x.hit(Secret, 1.5, i, field)
			return
		}
	}
}

// generic reports whether words for a whole name nothing private: "all
// documents", "every file".
func (x *passage) generic(i int) bool {
	return x.isWord(i, "all", "every", "everything", "local", "open", "entire", "whole", "its") && x.sen.Flags&token.Phrase != 0
}

// withheld reports whether the thing at token i should be excluded: "do not
// include the conversation". A request that fails without it does not count.
func (x *passage) withheld(i int) bool {
	if x.sen.Senses.Any(sense.Reject) && !x.mask.Any(concept.Model|concept.You) {
		return false
	}
	for k := max(0, i-4); k < i; k++ {
		if x.isWord(k, "nothing", "not", "never", "none") && x.findAny(concept.Include|concept.Send|concept.Read|concept.Call, k, i) < 0 && (x.isWord(k+1, "about", "from", "of", "the") || k+1 == i) {
			return true // "only the text is sent, nothing about the conversation"
		}
	}
	n := x.findAny(concept.Neg, i-7, i)
	return n >= 0 && !x.isWord(n, "without") && x.findAny(concept.Include|concept.Send|concept.Tell|concept.Read|concept.Call, n+1, i) >= 0
}

// idOf reports whether token i is only referred to by an identifier, a title or
// the like: "id of the conversation".
func (x *passage) idOf(i int) bool {
	for k := max(0, i-5); k < i; k++ {
		if x.isWord(k, "id", "ids", "identifier", "name", "title", "url", "link", "number", "type", "key", "names", "topic", "language") && x.findAny(concept.Include|concept.Send, k, i) < 0 {
			return true
		}
	}
	return false
}
