package scanner

import (
	"slices"

	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/concept"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/sense"
)

// phrase is the beginning of some known phrases: what it means if it is one
// already, and the words that go on with it, sorted. Words are nodes of the
// Latin trie.
type phrase struct {
	c    concept.Set
	s    sense.Set
	next []nextWord
	// words has a bit for each word of next, by the last bits of its node.
	words uint64
}

type nextWord struct{ word, phrase uint16 }

// then gives the phrase that a word goes on to, or 0.
func (p *phrase) then(word uint16) uint16 {
	if p.words&(1<<(word&63)) == 0 {
		return 0
	}
	k, found := slices.BinarySearchFunc(p.next, word, func(n nextWord, word uint16) int { return int(n.word) - int(word) })
	if !found {
		return 0
	}
	return p.next[k].phrase
}
