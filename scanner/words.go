package scanner

import (
	"bytes"
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

// sign gives the signature of the sentence, or of what stands for it.
func (x *frameContext) sign() *signature {
	if len(x.signed) == len(x.toks) && &x.signed[0] == &x.toks[0] {
		return &x.signs
	}
	x.signed, x.signs = x.toks, signature{}
	keys, beyond := x.v.ws.wordKeys[:0], false
	for i := range x.toks {
		t := &x.toks[i]
		k := wordKey(t.first, int(t.end-t.start))
		keys = append(keys, k)
		if t.first < 0x80 {
			x.signs[k>>6] |= 1 << (k & 63)
		} else {
			beyond = true
		}
	}
	x.v.ws.wordKeys, x.v.ws.beyondASCII = keys, beyond
	return &x.signs
}

// wordKey is the pair of first letter and length, the length by its last three
// bits.
func wordKey(first byte, length int) uint8 { return (first-'a')<<3 | uint8(length&7) }

// word is a token's text.
func (x *frameContext) word(i int) string { return x.doc.text[x.toks[i].start:x.toks[i].end] }

// sameWord compares a text with a word in lower case of the same length, whatever
// the text's case.
func sameWord(text, word string) bool {
	for i := range len(word) {
		if a, b := text[i], word[i]; a != b && (a|0x20 != b || b-'a' >= 26) {
			return a|b >= 0x80 && strings.EqualFold(text, word)
		}
	}
	return true
}

// isWord compares a token with lower case words.
func (x *frameContext) isWord(i int, words ...string) bool {
	if uint(i) >= uint(len(x.toks)) {
		return false
	}
	t := &x.toks[i]
	n, first := int(t.end-t.start), t.first
	for k := range words {
		if w := words[k]; len(w) == n && (w[0] == first || first&w[0] >= 0x80) && sameWord(x.word(i), w) {
			return true
		}
	}
	return false
}

// findWord gives the first token from..to that is one of these words, or -1.
func (x *frameContext) findWord(from, to int, words ...string) int {
	from, to = max(from, 0), min(to, len(x.toks))
	if from >= to {
		return -1
	}
	signs, at := x.sign(), to
	keys := x.v.ws.wordKeys
	for k := range words {
		w := words[k]
		if w[0] >= 0x80 {
			if !x.v.ws.beyondASCII {
				continue
			}
			for i := from; i < at; i++ {
				if x.isWord(i, w) {
					at = i
				}
			}
			continue
		}
		if !signs.may(w) {
			continue
		}
		key := wordKey(w[0], len(w))
		for i := from; i < at; i++ {
			next := bytes.IndexByte(keys[i:at], key)
			if next < 0 {
				break
			}
			if i += next; x.isWord(i, w) {
				at = i
			}
		}
	}
	if at == to {
		return -1
	}
	return at
}
