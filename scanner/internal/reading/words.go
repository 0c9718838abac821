package reading

import (
	"bytes"
	"strings"

	"github.com/touchstone-eval/touchstone/scanner/internal/token"
)

// sign returns the signature of the sentence.
func (x *passage) sign() *token.Signature {
	if len(x.signed) == len(x.toks) && &x.signed[0] == &x.toks[0] {
		return &x.signs
	}

	x.signed, x.signs = x.toks, token.Signature{}
	keys, beyond := x.v.wordKeys[:0], false
	for i := range x.toks {
		t := &x.toks[i]
		k := token.WordKey(t.First, int(t.End-t.Start))
		keys = append(keys, k)
		if t.First < 0x80 {
			x.signs[k>>6] |= 1 << (k & 63)
		} else {
			beyond = true
		}
	}

	x.v.wordKeys, x.v.beyondASCII = keys, beyond
	return &x.signs
}

// word is a token's text.
func (x *passage) word(i int) string { return x.doc.Text[x.toks[i].Start:x.toks[i].End] }

// sameWord compares a text with a lower-case word of the same length, ignoring
// the text's case.
func sameWord(text, word string) bool {
	for i := range len(word) {
		if a, b := text[i], word[i]; a != b && (a|0x20 != b || b-'a' >= 26) {
			return a|b >= 0x80 && strings.EqualFold(text, word)
		}
	}
	return true
}

// isWord compares a token with lower-case words.
func (x *passage) isWord(i int, words ...string) bool {
	if uint(i) >= uint(len(x.toks)) {
		return false
	}
	t := &x.toks[i]
	n, first := int(t.End-t.Start), t.First
	for k := range words {
		if w := words[k]; len(w) == n && (w[0] == first || first&w[0] >= 0x80) && sameWord(x.word(i), w) {
			return true
		}
	}
	return false
}

// findWord returns the first token in from..to that is one of these words, or
// -1.
func (x *passage) findWord(from, to int, words ...string) int {
	from, to = max(from, 0), min(to, len(x.toks))
	if from >= to {
		return -1
	}

	signs, at := x.sign(), to
	keys := x.v.wordKeys
	for k := range words {
		w := words[k]
		if w[0] >= 0x80 {
			if !x.v.beyondASCII {
				continue
			}

			for i := from; i < at; i++ {
				if x.isWord(i, w) {
					at = i
				}
			}

			continue
		}

		if !signs.May(w) {
			continue
		}

		key := token.WordKey(w[0], len(w))
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
