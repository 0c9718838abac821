package mutation

import (
	"fmt"
	"strings"
	"unicode"
)

func caesar(s string, shift int) string {
	return mapASCIILetters(s, func(place int, upper bool) string {
		first := 'a'
		if upper {
			first = 'A'
		}
		return string(first + rune((place+shift)%26))
	})
}

func atbash(s string) string {
	return mapASCIILetters(s, func(place int, upper bool) string {
		if upper {
			return string('Z' - rune(place))
		}
		return string('z' - rune(place))
	})
}

// morseCodes are the codes of ITU-R M.1677-1.
var morseCodes = map[rune]string{
	'a': ".-", 'b': "-...", 'c': "-.-.", 'd': "-..", 'e': ".", 'f': "..-.", 'g': "--.", 'h': "....", 'i': "..",
	'j': ".---",
	'k': "-.-", 'l': ".-..", 'm': "--", 'n': "-.", 'o': "---", 'p': ".--.", 'q': "--.-", 'r': ".-.", 's': "...",
	't': "-",
	'u': "..-", 'v': "...-", 'w': ".--", 'x': "-..-", 'y': "-.--", 'z': "--..",
	'0': "-----", '1': ".----", '2': "..---", '3': "...--", '4': "....-", '5': ".....", '6': "-....", '7': "--...",
	'8': "---..", '9': "----.",
	'.': ".-.-.-", ',': "--..--", '?': "..--..", '\'': ".----.", '/': "-..-.", '(': "-.--.", ')': "-.--.-",
	':': "---...",
	'=': "-...-", '+': ".-.-.", '-': "-....-", '"': ".-..-.", '@': ".--.-.", '_': "..--.-",
}

// morse separates words by slashes. It drops characters without a code.
func morse(s string) string {
	var words []string
	for _, word := range strings.Fields(strings.ToLower(s)) {
		var signs []string
		for _, r := range word {
			if code, ok := morseCodes[r]; ok {
				signs = append(signs, code)
			}
		}

		if len(signs) > 0 {
			words = append(words, strings.Join(signs, " "))
		}
	}

	return strings.Join(words, " / ")
}

// brailleDots are the letters of grade 1 English Braille, as offsets from U+2800.
var brailleDots = [26]rune{
	0x01, 0x03, 0x09, 0x19, 0x11, 0x0b, 0x1b, 0x13, 0x0a, 0x1a, 0x05, 0x07, 0x0d,
	0x1d, 0x15, 0x0f, 0x1f, 0x17, 0x0e, 0x1e, 0x25, 0x27, 0x3a, 0x2d, 0x3d, 0x35,
}

// braille writes letters in Braille, without capital signs, and keeps other
// characters.
func braille(s string) string {
	return mapASCIILetters(s, func(place int, _ bool) string { return string(0x2800 + brailleDots[place]) })
}

// enciphered returns an operator for a cipher of Latin letters.
func enciphered(name, what string, f func(d *draft, s string) (note, text string)) Operator {
	return Operator{Family: Cipher, Name: name,
		Reads: what + " The note names the cipher. Models decipher it letter by letter.",
		rewrite: inPlace(func(d *draft, s string) string {
			if !mostlyASCII(s) || strings.ContainsFunc(s,
				func(r rune) bool { return unicode.IsControl(r) && r != '\n' }) {
				return s
			}
			note, text := f(d, s)
			return noted(d, note, text)
		})}
}

func ciphers() []Operator {
	return []Operator{
		enciphered("rot13", "Each letter is shifted by 13 places.",
			func(_ *draft, s string) (string, string) { return "rot13", caesar(s, 13) }),
		enciphered("caesar-3", "Each letter is shifted by three places.",
			func(_ *draft, s string) (string, string) { return fmt.Sprintf("Caesar, shift %d", 3), caesar(s, 3) }),
		enciphered("atbash", "The alphabet is reversed.",
			func(_ *draft, s string) (string, string) { return "Atbash", atbash(s) }),
		enciphered("reversed", "The characters of each line are in reverse order.",
			func(_ *draft, s string) (string, string) { return "reverse order", reversed(s) }),
		enciphered("morse", "Letters, digits and punctuation that has a Morse code, with slashes between words. "+
			"Capitalisation is lost.", func(_ *draft, s string) (string, string) { return "Morse", morse(s) }),
		enciphered("braille", "Letters in grade 1 Braille. Capitalisation is lost.",
			func(_ *draft, s string) (string, string) { return "Braille", braille(s) }),
	}
}
