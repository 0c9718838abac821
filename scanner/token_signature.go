package scanner

import (
	"strings"
)

// How frames ask for words. Most frames ask for a few words out of a list, and
// most sentences have none of them: a sentence keeps a signature of its words,
// and what is not in it is not looked for.

// signature is a set of the pairs of first letter and length that the words of
// a sentence have, the length by its last three bits.
type signature [4]uint64

func (s *signature) add(first byte, length int) {
	k := wordKey(first, length)
	s[k>>6] |= 1 << (k & 63)
}

// signatureOf gives the signature of a list of lower case words.
func signatureOf(list string) (s signature) {
	for w := range strings.FieldsSeq(list) {
		s.add(w[0], len(w))
	}
	return s
}

// holds says whether a token can be among the words; one that is not of ASCII
// never is.
func (s *signature) holds(t *token) bool {
	k := wordKey(t.first, int(t.end-t.start))
	return s[k>>6]&(1<<(k&63)) != 0
}

// may says whether a lower case word can be among them.
func (s *signature) may(word string) bool {
	k := wordKey(word[0], len(word))
	return s[k>>6]&(1<<(k&63)) != 0
}

// wordKey is the pair of first letter and length, the length by its last three
// bits.
func wordKey(first byte, length int) uint8 { return (first-'a')<<3 | uint8(length&7) }
