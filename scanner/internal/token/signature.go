package token

import (
	"strings"
)

// How frames ask for words. Most frames ask for a few words out of a list, and
// most sentences have none of them: a sentence keeps a signature of its words,
// and what is not in it is not looked for.

// Signature is a set of the pairs of first letter and length that the words of
// a sentence have, the length by its last three bits.
type Signature [4]uint64

func (s *Signature) add(first byte, length int) {
	k := WordKey(first, length)
	s[k>>6] |= 1 << (k & 63)
}

// SignatureOf returns the signature of a list of lower case words.
func SignatureOf(list string) (s Signature) {
	for w := range strings.FieldsSeq(list) {
		s.add(w[0], len(w))
	}
	return s
}

// Holds reports whether a token can be among the words; one that is not of ASCII
// never is.
func (s *Signature) Holds(t *Token) bool {
	k := WordKey(t.First, int(t.End-t.Start))
	return s[k>>6]&(1<<(k&63)) != 0
}

// May reports whether a lower case word can be among them.
func (s *Signature) May(word string) bool {
	k := WordKey(word[0], len(word))
	return s[k>>6]&(1<<(k&63)) != 0
}

// WordKey is the pair of first letter and length, the length by its last three
// bits.
func WordKey(first byte, length int) uint8 { return (first-'a')<<3 | uint8(length&7) }
