//go:build heldout

package mutation

import (
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strings"
)

func heldOutEncodings() []Operator {
	return []Operator{
		encoder("hex-entities", "HTML", "Every character as a hexadecimal character reference.",
			func(s string) string { return eachRune(s, "&#x%x;") }),
		encoder("hex-escapes", "C string", `Every byte as \xNN.`,
			func(s string) string { return eachByte(s, `\x%02x`, "") }),
		encoder("hex-bytes", "hex", "Every byte as two hexadecimal digits, with spaces between.",
			func(s string) string { return eachByte(s, "%02x", " ") }),
		encoder("decimal-bytes", "bytes, decimal", "Every byte as a decimal number.",
			func(s string) string { return eachByte(s, "%d", " ") }),
		encoder("binary", "binary", "Every byte as eight binary digits.",
			func(s string) string { return eachByte(s, "%08b", " ") }),
		encoder("quoted-printable", "quoted-printable", "Every byte as =NN.",
			func(s string) string { return eachByte(s, "=%02X", "") }),
		encoder("base32-hex", "base32hex", "The passage in base32 with the extended hexadecimal alphabet.",
			func(s string) string { return base32.HexEncoding.EncodeToString([]byte(s)) }),
		encoder("hex-in-base64", "base64 of hex", "Hexadecimal digits of the passage in base64.",
			func(s string) string {
				return base64.StdEncoding.EncodeToString([]byte(hex.EncodeToString([]byte(s))))
			}),
		encoder("base64-in-percent", "URL-encoded base64",
			"The passage in base64, each character of it percent-encoded.", func(s string) string {
				return eachByte(base64.StdEncoding.EncodeToString([]byte(s)), "%%%02X", "")
			}),
	}
}

// rot47 shifts the printable characters of ASCII by half of their number.
func rot47(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= '!' && r <= '~' {
			return '!' + (r-'!'+47)%94
		}
		return r
	}, s)
}

var nato = strings.Fields(`Alfa Bravo Charlie Delta Echo Foxtrot Golf Hotel India Juliett Kilo Lima Mike
	November Oscar Papa Quebec Romeo Sierra Tango Uniform Victor Whiskey Xray Yankee Zulu`)

// spelledOut writes words letter by letter, with join between letters and part
// between words. Digits get a mark that distinguishes them from codes.
func spelledOut(s, join, part string, code func(place int) string) string {
	var words []string
	for _, word := range strings.Fields(s) {
		var letters []string
		for _, r := range word {
			letter := mapASCIILetters(string(r), func(place int, _ bool) string { return code(place) })
			if r >= '0' && r <= '9' {
				letter = "#" + letter
			}

			letters = append(letters, letter)
		}

		words = append(words, strings.Join(letters, join))
	}

	return strings.Join(words, part)
}

func heldOutCiphers() []Operator {
	return []Operator{
		enciphered("caesar-any", "Each letter is shifted by a random number of places, which the note gives.",
			func(d *draft, s string) (string, string) {
				shift := 4 + d.random.below(8)
				return fmt.Sprintf("Caesar, shift %d", shift), caesar(s, shift)
			}),
		enciphered("rot47", "Each printable character of ASCII is shifted by 47 places.",
			func(_ *draft, s string) (string, string) { return "rot47", rot47(s) }),
		enciphered("letter-numbers", "Each letter is its number in the alphabet, with hyphens between.",
			func(_ *draft, s string) (string, string) {
				return "A=1, B=2", spelledOut(s, "-", " / ", func(place int) string { return fmt.Sprint(place + 1) })
			}),
		enciphered("spelling-alphabet", "Each letter is its word in the spelling alphabet of radio.",
			func(_ *draft, s string) (string, string) {
				return "spelling alphabet", spelledOut(s, " ", " / ", func(place int) string { return nato[place] })
			}),
		enciphered("polybius", "Each letter is its row and column in a square of 5 by 6.",
			func(_ *draft, s string) (string, string) {
				return "Polybius square, 5 columns",
					spelledOut(s, " ", " / ",
						func(place int) string { return fmt.Sprintf("%d%d", place/5+1, place%5+1) })
			}),
	}
}
