package lexicon

import (
	"slices"

	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/concept"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/sense"
)

// Phrase is the beginning of some known phrases: what it means if it is one
// already, and the words that go on with it, sorted. Words are nodes of the
// Latin trie.
type Phrase struct {
	Means  concept.Set
	Senses sense.Set
	Next   []NextWord
	// Words has a bit for each word of next, by the last bits of its node.
	Words uint64
}

type NextWord struct{ Word, Phrase uint16 }

// Then returns the phrase that a word goes on to, or 0.
func (p *Phrase) Then(word uint16) uint16 {
	if p.Words&(1<<(word&63)) == 0 {
		return 0
	}
	k, found := slices.BinarySearchFunc(p.Next, word, func(n NextWord, word uint16) int { return int(n.Word) - int(word) })
	if !found {
		return 0
	}
	return p.Next[k].Phrase
}
