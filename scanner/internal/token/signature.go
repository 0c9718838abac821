package token

import (
	"strings"
)

// Signatures make searches for words cheap. Most searches are for a few words of
// a list, and most sentences have none of them. A sentence keeps a signature of
// its words, and words outside of it are not searched.

// Signature is the set of pairs of first letter and length of the words of a
// sentence. Lengths are reduced to their last three bits.
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

// Holds reports whether a token may be among the words. It is false for tokens
// beyond ASCII.
func (s *Signature) Holds(t *Token) bool {
	k := WordKey(t.First, int(t.End-t.Start))
	return s[k>>6]&(1<<(k&63)) != 0
}

// May reports whether a lower-case word may be among them.
func (s *Signature) May(word string) bool {
	k := WordKey(word[0], len(word))
	return s[k>>6]&(1<<(k&63)) != 0
}

// WordKey is the pair of first letter and length, with the length reduced to
// its last three bits.
func WordKey(first byte, length int) uint8 { return (first-'a')<<3 | uint8(length&7) }
