package scanner

import "strings"

// How frames ask for words. Most frames ask for a few words out of a list, and
// most sentences have none of them: a sentence keeps a signature of its words,
// and what is not in it is not looked for.

// signature is a set of the pairs of first letter and length that the words of
// a sentence have, the length by its last three bits.
type signature [4]uint64

func (s *signature) add(first byte, length int) {
	k := (first-'a')<<3 | uint8(length&7)
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
	k := (t.first-'a')<<3 | uint8((t.end-t.start)&7)
	return s[k>>6]&(1<<(k&63)) != 0
}

// may says whether a lower case word can be among them.
func (s *signature) may(word string) bool {
	k := (word[0]-'a')<<3 | uint8(len(word)&7)
	return s[k>>6]&(1<<(k&63)) != 0
}

// sign gives the signature of the sentence, or of what stands for it.
func (x *frameContext) sign() *signature {
	if len(x.signed) == len(x.toks) && &x.signed[0] == &x.toks[0] {
		return &x.signs
	}
	x.signed, x.signs = x.toks, signature{}
	for i := range x.toks {
		t := &x.toks[i]
		if t.first >= 0x80 {
			x.signs = signature{^uint64(0), ^uint64(0), ^uint64(0), ^uint64(0)}
			break
		}
		x.signs.add(t.first, int(t.end-t.start))
	}
	return &x.signs
}

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
	for k := range words {
		w := words[k]
		if !signs.may(w) {
			continue
		}
		for i := from; i < at; i++ {
			t := &x.toks[i]
			if int(t.end-t.start) == len(w) && (t.first == w[0] || t.first&w[0] >= 0x80) && sameWord(x.word(i), w) {
				at = i
			}
		}
	}
	if at == to {
		return -1
	}
	return at
}
