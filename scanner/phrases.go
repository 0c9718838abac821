package scanner

import (
	"slices"
	"strings"
)

// phrase is the beginning of some known phrases: what it means if it is one
// already, and the words that go on with it, sorted. Words are nodes of the
// Latin trie.
type phrase struct {
	c    concept
	s    sense
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

// growingPhrase is a phrase that words are added to.
type growingPhrase struct {
	c    concept
	s    sense
	next map[uint16]*growingPhrase
}

// insertPhrase adds a sequence of English words.
func (l *lexiconBuilder) insertPhrase(text string, c concept) *growingPhrase {
	at := &l.phrases
	for word := range strings.FieldsSeq(text) {
		n := l.latin.node(latinWord(strings.TrimSuffix(word, "'s")))
		if at.next == nil {
			at.next = map[uint16]*growingPhrase{}
		}
		child := at.next[n]
		if child == nil {
			child = &growingPhrase{}
			at.next[n] = child
		}
		at = child
	}
	at.c |= c
	return at
}

// number appends a phrase and those that go on from it, and gives its number.
// Words are still nodes of the growing trie.
func (p *growingPhrase) number(phrases *[]phrase) uint16 {
	k := len(*phrases)
	*phrases = append(*phrases, phrase{c: p.c, s: p.s})
	var next []nextWord
	for word, child := range p.next {
		next = append(next, nextWord{word, child.number(phrases)})
	}
	(*phrases)[k].next = next
	return uint16(k)
}

// joinPhrases gives the first word of each known phrase the phrase's meaning.
func (l *lexicon) joinPhrases(toks []token) {
	for i := range toks {
		n := toks[i].opens
		if n == 0 {
			continue
		}
		for j := i + 1; n != 0; j++ {
			at := &l.phrases[n]
			toks[i].s |= at.s
			if at.c != 0 {
				toks[i].c |= at.c
				for k := i + 1; k < j; k++ {
					toks[k].flags |= tfPhrase
				}
			}
			if j >= len(toks) || len(at.next) == 0 || toks[j].node == trieDead {
				break
			}
			n = at.then(toks[j].node)
		}
	}
}
