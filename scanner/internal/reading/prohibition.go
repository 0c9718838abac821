package reading

import (
	"strings"

	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/concept"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/lexicon"
	"github.com/touchstone-eval/touchstone/scanner/internal/token"
)

// forbids reports whether a sentence of d does nothing but forbid what attackers
// demand: to hand over private data, to delete, to pay. "Never include the chat
// history" is no such demand, but "never forget to include it" and "never include
// less than all of it" are.
func (v *Reading) forbids(d *token.Doc, s *token.Sentence) bool {
	const private = concept.Conv | concept.History | concept.Secret | concept.CredPath | concept.System |
		concept.Personal
	x := passage{v: v, doc: d}
	x.setSentence(s)
	verb := x.forbidden()
	switch {
	case verb < 0 || s.Foreign || x.mask.Any(concept.Secretly|concept.Deceive|concept.When) ||
		x.mask.Any(concept.Tool) && !x.mask.Any(concept.This):
		return false
	case x.toks[verb].Means.Any(concept.Destroy):
		if x.mask.Any(private) {
			return false // "never remove the passwords"
		}
	case x.toks[verb].Means.Any(concept.Pay):
	case !x.toks[verb].Means.Any(concept.Include|concept.Send|concept.Read) || !x.mask.Any(private|concept.Pay):
		return false
	}

	for i := verb + 1; i < len(x.toks); i++ {
		t := x.toks[i]
		switch {
		case t.Means.Any(concept.Neg) && (!x.isWord(i, "without") || x.findAny(concept.Ask, i, i+5) < 0),
			t.Means.Any(concept.User) && !strings.HasSuffix(x.word(i), "'s"),
			t.Form == lexicon.BaseForm && t.Flags&token.Ident == 0 && t.Flags&token.Break != 0 &&
				x.mood(i) >= token.MoodOrder,
			x.isWord(i, "but", "except", "before", "until", "instead", "other", "another", "less", "fewer", "only",
				"just", "partial", "incomplete", "redacted", "masked", "empty", "placeholder", "placeholders",
				"summary", "then"):
			return false
		}
	}

	return true
}

// forbidden returns the verb that the sentence opens with and denies, or -1: "do
// not pass", "you must never send".
func (x *passage) forbidden() int {
	for i := range min(len(x.toks), 5) {
		switch t := x.toks[i]; {
		case t.Means.Any(concept.Neg) && x.isWord(i, "never", "not", "don't"):
			if i+1 < len(x.toks) && x.toks[i+1].Form == lexicon.BaseForm {
				return i + 1
			}

			return -1
		case !t.Means.Any(concept.You|concept.Must|concept.Modal|concept.Do|concept.Should|concept.Adv) &&
			!x.isWord(i, "do"):
			return -1
		}
	}

	return -1
}
