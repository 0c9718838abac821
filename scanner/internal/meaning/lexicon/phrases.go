package lexicon

import (
	"slices"

	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/concept"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/sense"
)

// Phrase is a prefix of known phrases: its meaning, if it is a phrase itself,
// and the words that continue it, sorted. Words are nodes of the Latin trie.
type Phrase struct {
	Means  concept.Set
	Senses sense.Set
	Next   []NextWord
	// Words has a bit for each continuing word, by the last bits of its node.
	Words uint64
}

type NextWord struct{ Word, Phrase uint16 }

// Then returns the phrase continued by a word, or 0.
func (p *Phrase) Then(word uint16) uint16 {
	if p.Words&(1<<(word&63)) == 0 {
		return 0
	}
	k, found := slices.BinarySearchFunc(p.Next, word,
		func(n NextWord, word uint16) int { return int(n.Word) - int(word) })
	if !found {
		return 0
	}
	return p.Next[k].Phrase
}
