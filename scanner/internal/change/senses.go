package change

import (
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/concept"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/sense"
	"github.com/touchstone-eval/touchstone/scanner/internal/reading"
)

// senses weighs the senses of the added sentences, such as data that goes to
// the tool's author, or private data that is included.
func (c *Change) senses() {
	var had sense.Set
	for i := range c.was.Clauses {
		had |= c.was.Clauses[i].Senses
	}
	for _, at := range c.added {
		s := at.s.Senses &^ had
		chosen := at.s.Means.Any(concept.User|concept.You) && !at.s.Senses.Any(sense.Private) || protects(c.now, at)
		toUs := s.Any(sense.Vendor) || toUs(c.now, at)
		moves := at.s.Senses.Any(sense.Move) || at.s.Means.Any(concept.Send|concept.Read)
		switch {
		case chosen:
		case toUs && moves && (at.s.Means.Any(concept.Send) || at.s.Senses.Any(sense.Move)):
			c.more(1, "a way to whoever made it")
		case s.Any(sense.Private) && (moves || at.s.Means.Any(concept.Whole|concept.Include)):
			c.more(1, "private things of the user")
		case toUs && at.s.Senses.Any(sense.Private|sense.CopyTo):
			c.more(1, "a way to whoever made it")
		}
		if s.Any(sense.Consent) && at.s.Senses.Any(sense.Needless|sense.Deemed|sense.Void) && !protects(c.now, at) {
			c.more(0.8, "leave to act without asking")
		}
	}
}

// toUs reports whether a sentence sends things to "us" or "our side".
func toUs(v *reading.Reading, at sentenceAt) bool {
	for k := at.s.Tok0 + 1; k < at.s.Tok1; k++ {
		w, before := v.Word(at.d, v.Tokens[k]), v.Word(at.d, v.Tokens[k-1])
		if (w == "us" || w == "our") && (before == "to" || before == "with" || before == "on" || before == "for") {
			return true
		}
	}
	return false
}
