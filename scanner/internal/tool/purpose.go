package tool

import (
	"strings"

	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/concept"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/lexicon"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/sense"
	"github.com/touchstone-eval/touchstone/scanner/internal/token"
)

// Purpose holds the meanings of the tool's name and of the opening of its
// description: a tool named summarize_conversation may ask for a conversation.
// An opening that already gives orders does not count.
func (v *View) Purpose() concept.Set {
	if !v.aboutDone {
		v.about, v.aboutDone = v.readPurpose(), true
	}
	return v.about
}

// NamePurpose returns the meanings of the tool's name. A name alone does not make a
// tool a detector, because its author chose it.
func (v *View) NamePurpose() concept.Set {
	var c concept.Set
	for i := range v.Docs {
		if d := &v.Docs[i]; v.Fields[d.Field].Kind == KindName {
			for _, t := range v.Tokens[d.Tok0:d.Tok1] {
				c |= t.Means &^ concept.Meta
			}
		}
	}
	return c
}

func (v *View) readPurpose() concept.Set {
	c := v.NamePurpose()
	for i := range v.Docs {
		d := &v.Docs[i]
		switch v.Fields[d.Field].Kind {
		case KindDescription:
			if d.Sen1 == d.Sen0 || !v.Clauses[d.Sen0].First || v.Fields[d.Field].Layer != "" {
				continue
			}

			s := &v.Clauses[d.Sen0]
			if !s.Means.Any(concept.Must|concept.Secretly|concept.When|concept.Ignore|concept.Model) &&
				!s.Means.Has(concept.Neg|concept.Tell) || s.Foreign &&
				!s.Means.Any(concept.Must|concept.Before|concept.Neg|concept.Secretly|concept.Ignore|concept.Model) {
				c |= v.openlyFor(d, s)
			} else if v.states(d, s) &&
				!s.Means.Any(concept.Must|concept.Secretly|concept.Ignore|concept.Model|concept.You) &&
				!s.Means.Has(concept.Neg|concept.Tell) {
				c |= v.openlyFor(d, s) // "writes a variable after a check"
			}

			if v.states(d, s) {
				c |= s.Means & concept.Meta
				if !s.Means.Any(concept.Must | concept.Secretly | concept.When | concept.Ignore) {
					c |= s.Means & (concept.Conv | concept.History)
				}
			}

			// "Uses the previous turns to resolve pronouns" says it openly.
			for k := d.Sen0 + 1; k < min(d.Sen1, d.Sen0+6); k++ {
				if s := &v.Clauses[k]; v.Tokens[s.Tok0].Form == lexicon.ThirdPerson &&
					!s.Means.Any(concept.Must|concept.Secretly|concept.Model|concept.Ignore|concept.When|concept.Neg) &&
					!s.Senses.Any(sense.Reject) {
					c |= s.Means & (concept.Conv | concept.History)
				}
			}
		}
	}

	return c
}

// states reports whether a sentence begins like a description: with "Writes",
// or an unknown word with the same ending.
func (v *View) states(d *token.Doc, s *token.Sentence) bool {
	t := v.Tokens[s.Tok0]
	return t.Form == lexicon.ThirdPerson || t.Form == lexicon.OtherForm && t.Means == 0 && d.Text[t.End-1] == 's'
}

// openlyFor returns the meanings of an opening sentence. A file with
// credentials that goes somewhere, or into a parameter, is never a purpose. The
// variables of such a file are part of it, and a public key is not.
func (v *View) openlyFor(d *token.Doc, s *token.Sentence) concept.Set {
	m := s.Means
	if !m.Any(concept.CredPath) || !m.Any(concept.Send|concept.Read|concept.Include) ||
		strings.Contains(d.Text[s.Start:min(int(s.End)+4, len(d.Text))], ".pub") {
		return m
	}
	if m.Any(concept.Outside | concept.Link) {
		return m &^ (concept.CredPath | concept.Secret)
	}
	return m
}
