package lexicon

import (
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/concept"

	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/power"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/sense"
)

// Form is the inflection of an English word. It distinguishes an order ("send")
// from a description ("sends"). Words of other languages are OtherForm, because
// their inflection is not analysed.
type Form uint8

const (
	OtherForm Form = iota
	BaseForm
	ThirdPerson
	IngForm
	PastForm
)

// Entry is the lexicon's information about a word.
type Entry struct {
	Means  concept.Set
	Senses sense.Set
	// Opens is the root of the phrases that begin with the word.
	Opens uint16
	Form  Form
	Power power.Kind
	Kind  WordKind
}

// OwnNode returns a node of the trie that ends at this entry, or 0 if the entry
// is not from the lexicon.
func (e *Entry) OwnNode(node uint16) uint16 {
	if e.Kind&Beyond != 0 {
		return Dead
	}
	return node
}

// WordKind is a set of properties of a word's spelling and use, apart from its
// meaning.
type WordKind uint8

const (
	// Spelled marks a correctly spelled word, with or without a meaning.
	Spelled WordKind = 1 << iota
	// Beyond marks a word that is not in the lexicon and does not begin one
	// that is. Its node exists only for its spelling.
	Beyond
	// Command is the first word of a harmful command.
	Command
	// CommandStem is the same for a word that any letters may follow.
	CommandStem
)

// longer takes over the meaning of a longer match.
func (e *Entry) longer(o *Entry) {
	if o.Means != 0 {
		e.Means, e.Form = o.Means, o.Form
	}
	if o.Senses != 0 {
		e.Senses = o.Senses
	}
}

func (e *Entry) Known() bool { return e.Means != 0 || e.Senses != 0 }
