package lexicon

import (
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/concept"

	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/power"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/sense"
)

// Form is the shape in which an English word stands; it tells an order
// ("send") from a description ("sends"). Words of other languages are
// OtherForm: their inflection is not followed.
type Form uint8

const (
	OtherForm Form = iota
	BaseForm
	ThirdPerson
	IngForm
	PastForm
)

// Entry is what the lexicon knows of a word.
type Entry struct {
	Means  concept.Set
	Senses sense.Set
	// Opens is the beginning of the phrases that begin with the word.
	Opens uint16
	Form  Form
	Power power.Kind
	Kind  WordKind
}

// OwnNode returns a node of the trie that ends at this entry, 0 when it is none of the
// lexicon.
func (e *Entry) OwnNode(node uint16) uint16 {
	if e.Kind&Beyond != 0 {
		return Dead
	}
	return node
}

// WordKind says of a word what concerns its spelling and not its meaning.
type WordKind uint8

const (
	// Spelled is a word as people write it, whether it means something or
	// not.
	Spelled WordKind = 1 << iota
	// Beyond is none of the lexicon, nor the beginning of one: its node is
	// there for its spelling alone.
	Beyond
	// SpellingWord is a word of a spelling alphabet.
	SpellingWord
	// Command is the first word of a harmful command.
	Command
	// CommandStem is the same of a word that may go on with any letters.
	CommandStem
)

// longer takes over what a longer match means.
func (e *Entry) longer(o *Entry) {
	if o.Means != 0 {
		e.Means, e.Form = o.Means, o.Form
	}
	if o.Senses != 0 {
		e.Senses = o.Senses
	}
}

func (e *Entry) Known() bool { return e.Means != 0 || e.Senses != 0 }
