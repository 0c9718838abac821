package scanner

import (
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/concept"

	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/power"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/sense"
)

// form is the shape in which an English word stands; it tells an order
// ("send") from a description ("sends"). Words of other languages are
// formOther: their inflection is not followed.
type form uint8

const (
	formOther form = iota
	formBase
	formThird
	formIng
	formPast
)

// entry is what the lexicon knows of a word.
type entry struct {
	c concept.Set
	s sense.Set
	// opens is the beginning of the phrases that begin with the word.
	opens uint16
	f     form
	power power.Kind
	kind  wordKind
}

// own gives a node of the trie that ends at this entry, 0 when it is none of the
// lexicon.
func (e *entry) own(node uint16) uint16 {
	if e.kind&wordBeyond != 0 {
		return trieDead
	}
	return node
}

// wordKind says of a word what concerns its spelling and not its meaning.
type wordKind uint8

const (
	// wordSpelled is a word as people write it, whether it means something or
	// not.
	wordSpelled wordKind = 1 << iota
	// wordBeyond is none of the lexicon, nor the beginning of one: its node is
	// there for its spelling alone.
	wordBeyond
	// wordLetter is a word of a spelling alphabet.
	wordLetter
	// wordCommand is the first word of a harmful command.
	wordCommand
	// wordGoing is the same of a word that may go on with any letters.
	wordGoing
)

// longer takes over what a longer match means.
func (e *entry) longer(o *entry) {
	if o.c != 0 {
		e.c, e.f = o.c, o.f
	}
	if o.s != 0 {
		e.s = o.s
	}
}

func (e *entry) known() bool { return e.c != 0 || e.s != 0 }
