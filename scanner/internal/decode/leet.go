package decode

import (
	"github.com/touchstone-eval/touchstone/scanner/internal/char"

	"github.com/touchstone-eval/touchstone/scanner/internal/token"
)

// Digits and signs in place of letters.

var leetLetters = [256]byte{'0': 'o', '1': 'i', '3': 'e', '4': 'a', '5': 's', '7': 't', '8': 'b', '9': 'g', '@': 'a',
	'$': 's', '!': 'i', '|': 'l', '+': 't', '(': 'c', '6': 'g', '2': 'z'}

// findLeet replaces digits and signs by the letters that they represent. A one
// can be an i or an l, so it returns both readings.
func findLeet(d *token.Doc) string {
	first := unleet(d.Text, 'i')
	// Identifiers and encoded runs also have digits in words. Only a text with
	// more words after decoding was leetspeak.
	_, before := knownWords(d.Text)
	if _, after := knownWords(first); after < before+2 {
		return ""
	}
	if second := unleet(d.Text, 'l'); second != first {
		return first + "\n" + second
	}
	return first
}

// unleet replaces digits and signs by letters in every word that has a letter,
// and in a number if that gives a known word.
func unleet(s string, one byte) string {
	b := []byte(s)
	leet := func(i int) bool {
		c := s[i]
		return char.IsWord(c) || (c == '@' || c == '$') && i+1 < len(s) && char.IsWord(s[i+1]) || c == '!' && i+
			1 < len(s) && char.IsLetter(s[i+1])
	}
	for i := 0; i < len(s); {
		if !leet(i) {
			i++
			continue
		}

		start, letters := i, 0
		for i < len(s) && leet(i) {
			if char.IsLetter(s[i]) {
				letters++
			}

			i++
		}

		if i-start > 24 {
			continue
		}

		for k := start; k < i; k++ {
			switch l := leetLetters[s[k]]; {
			case s[k] == '1':
				b[k] = one
			case l != 0:
				b[k] = l
			}
		}

		if letters == 0 {
			if _, known := knownWords(b[start:i]); known == 0 {
				copy(b[start:i], s[start:i])
			}
		}
	}

	return string(b)
}

func signsInWords(s string) int {
	n := 0
	for i := 1; i+1 < len(s); i++ {
		if (s[i] == '@' || s[i] == '$') && char.IsLetter(s[i-1]) && char.IsLetter(s[i+1]) {
			n++
		}
	}
	return n
}
