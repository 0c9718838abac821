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
		secret := t.Means.Any(concept.Secret|concept.CredPath) && (t.Means.Any(concept.CredPath) || t.Flags&token.Ident == 0 || t.Flags&token.Upper != 0 || x.mask.Any(concept.User|concept.Other)) || t.Senses.Any(sense.KeyFile|sense.Session|sense.Intimate) || t.Senses.Any(sense.Private)
		if i == field || !secret && !(t.Means.Any(concept.Personal) && x.mask.Any(concept.User)) || x.isWord(i, "key", "token", "number") && t.Flags&token.Upper == 0 {
			continue
		}
		if x.into(field) || x.sen.Senses.Any(sense.Paste|sense.Reject) || t.Senses.Any(sense.Intimate|sense.Private|sense.Session|sense.KeyFile) && x.sen.Senses.Any(sense.Give|sense.Move|sense.Same) {
			x.hit(Secret, 1.5, i, field)
			return
		}
	}
}
