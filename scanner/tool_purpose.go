package scanner

import (
	"strings"

	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/concept"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/sense"
)

// purpose is what the name of the tool and the opening of its description
// speak of: a tool named summarize_conversation may ask for one. An opening
// that already gives orders does not count.
func (v *view) purpose() concept.Set {
	if !v.aboutDone {
		v.about, v.aboutDone = v.readPurpose(), true
	}
	return v.about
}

func (v *view) readPurpose() concept.Set {
	var c concept.Set
	for i := range v.docs {
		d := &v.docs[i]
		switch v.fields[d.field].kind {
		case kindName:
			// A name alone makes no detector of a tool: its author chose it.
			for _, t := range v.tokens[d.tok0:d.tok1] {
				c |= t.c &^ concept.Meta
			}
		case kindDescription:
			if d.sen1 == d.sen0 || !v.clauses[d.sen0].first || v.fields[d.field].layer != "" {
				continue
			}
			s := &v.clauses[d.sen0]
			if !s.mask.Any(concept.Must|concept.Secretly|concept.When|concept.Ignore|concept.Model) && !s.mask.Has(concept.Neg|concept.Tell) || s.foreign && !s.mask.Any(concept.Must|concept.Before|concept.Neg|concept.Secretly|concept.Ignore|concept.Model) {
				c |= v.openlyFor(d, s)
			} else if v.states(d, s) && !s.mask.Any(concept.Must|concept.Secretly|concept.Ignore|concept.Model|concept.You) && !s.mask.Has(concept.Neg|concept.Tell) {
				c |= v.openlyFor(d, s) // "writes a variable after a check"
			}
			if v.states(d, s) {
				c |= s.mask & concept.Meta
				if !s.mask.Any(concept.Must | concept.Secretly | concept.When | concept.Ignore) {
					c |= s.mask & (concept.Conv | concept.History)
				}
			}
			// "Uses the previous turns to resolve pronouns": said in the open.
			for k := d.sen0 + 1; k < min(d.sen1, d.sen0+6); k++ {
				if s := &v.clauses[k]; v.tokens[s.tok0].f == formThird && !s.mask.Any(concept.Must|concept.Secretly|concept.Model|concept.Ignore|concept.When|concept.Neg) && !s.senses.Any(sense.Reject) {
					c |= s.mask & (concept.Conv | concept.History)
				}
			}
		}
	}
	return c
}

// states says whether a sentence begins as a description does: "Writes", or an
// unknown word that ends like it.
func (v *view) states(d *doc, s *sentence) bool {
	t := v.tokens[s.tok0]
	return t.f == formThird || t.f == formOther && t.c == 0 && d.text[t.end-1] == 's'
}

// openlyFor gives what an opening sentence is about. A file with credentials
// that goes somewhere, or into a parameter, is no purpose, whoever says so
// first; the variables of one are what it holds, and a public key is none.
func (v *view) openlyFor(d *doc, s *sentence) concept.Set {
	m := s.mask
	if !m.Any(concept.CredPath) || !m.Any(concept.Send|concept.Read|concept.Include) || strings.Contains(d.text[s.start:min(int(s.end)+4, len(d.text))], ".pub") {
		return m
	}
	if m.Any(concept.Outside|concept.Link) || v.intoArgument(d, s) {
		return m &^ (concept.CredPath | concept.Secret)
	}
	return m
}

// intoArgument says whether a sentence speaks of an argument of the tool.
func (v *view) intoArgument(d *doc, s *sentence) bool {
	for k := s.tok0; k < s.tok1; k++ {
		if t := v.tokens[k]; t.c.Any(concept.Param) {
			switch v.word(d, t) {
			case "parameter", "parameters", "argument", "arguments", "field", "param":
				return true
			}
		}
	}
	return false
}
