package frames

import (
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/concept"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/sense"
	"github.com/touchstone-eval/touchstone/scanner/internal/token"
	"github.com/touchstone-eval/touchstone/scanner/internal/tool"
)

// Frames about data that a model holds and a tool does not need: what was said
// and the model's instructions. They do not
// need an order: "requests without it are rejected" is also a demand.

// dialogDemand finds fields that must contain what was said.
func (x *passage) dialogDemand() {
	if x.about.Any(concept.Conv|concept.History) || x.kind != tool.KindDescription && !x.ofField() {
		return
	}
	i := x.senseAt(sense.Dialog, 0, len(x.toks))
	if i < 0 {
		// "what the person typed", in a field of the tool
		u, _ := x.uttered()
		if u < 0 || x.ofField() {
			return
		}
		i = u
	}
	if x.withheld(i) || x.condition(i) || x.isWord(i+1, "id", "ids", "identifier", "name", "title", "type", "room", "url", "key", "model", "completion", "completions") {
		return
	}
	s := x.sen.Senses
	span := s.Any(sense.Span) || x.mask.Any(concept.Whole|concept.History) && x.mask.Any(concept.User)
	if x.ofField() {
		own, _ := x.ownField()
		switch {
		case own.Any(concept.Conv | concept.History):
			// "messages: the conversation so far" states it openly.
			if span && s.Any(sense.Reject) {
				x.hit(Conv, 0.9, i, i)
			}
		case span || s.Any(sense.Utter|sense.Intimate) && x.mask.Any(concept.User):
			x.hit(Conv, 1.6, i, i)
		}
		return
	}
	x.dialogInField(i, span)
}

// dialogInField weighs a requirement that the dialogue at token i is in a field
// of the tool. span reports that all of it is meant.
func (x *passage) dialogInField(i int, span bool) {
	s := x.sen.Senses
	field, fair := x.namedField(concept.Conv|concept.History, sense.Dialog)
	if field < 0 {
		if before, f := x.fieldBefore(concept.Conv|concept.History, sense.Dialog); before {
			field, fair = i, f
		}
	}
	switch {
	case field < 0:
		return
	case fair:
		if span && s.Any(sense.Reject) {
			x.hit(Conv, 0.9, i, field)
		}
	case s.Any(sense.Reject) && (span || s.Any(sense.Give)):
		x.hit(Conv, x.plainly(1.7, sense.Reject), i, field)
	case span && (s.Any(sense.Give|sense.Paste) || x.into(field)), x.into(field) && s.Any(sense.Dialog) && s.Any(sense.Paste|sense.Move):
		x.hit(Conv, 1.6, i, field)
	}
}

// uttered finds an utterance: a word for saying next to one for the user.
func (x *passage) uttered() (i, user int) {
	for i := range x.toks {
		if x.toks[i].Senses.Any(sense.Utter) || x.isWord(i, "message", "messages", "prompt", "sentence", "sentences") {
			if u := x.findAny(concept.User, i-4, i+5); u >= 0 {
				return i, u
			}
		}
	}
	return -1, -1
}

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
		if i == field || !secret && !(t.Means.Any(concept.Personal) && x.mask.Any(concept.User)) || x.withheld(i) || x.isWord(i, "key", "token", "number") && t.Flags&token.Upper == 0 {
			continue
		}
		if x.into(field) || x.sen.Senses.Any(sense.Paste|sense.Reject) || t.Senses.Any(sense.Intimate|sense.Private|sense.Session|sense.KeyFile) && x.sen.Senses.Any(sense.Give|sense.Move|sense.Same) {
			x.hit(Secret, 1.5, i, field)
			return
		}
	}
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
