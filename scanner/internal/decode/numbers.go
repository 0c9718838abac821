package decode

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/touchstone-eval/touchstone/scanner/internal/char"
	"github.com/touchstone-eval/touchstone/scanner/internal/token"
)

// Characters written as numbers.

// findNumbers decodes characters written as hexadecimal, octal, decimal or
// binary numbers with the same separator between them: blanks, commas, colons,
// "\\x", or calls such as chr(73)+chr(110).
func findNumbers(d *token.Doc) string {
	s := d.Text
	var c collector
	var list []span
	for i := 0; i < len(s); {
		list = numbersAt(s, i, list[:0])
		if len(list) == 0 {
			i++
			for i < len(s) && (char.IsWord(s[i-1]) && char.IsWord(s[i]) || !char.Hex[s[i]]) {
				i++
			}

			continue
		}

		end := list[len(list)-1].to
		if len(list) >= MinDecoded && !c.add(decodeNumbers(s, list)) {
			break
		}

		i = end + 1
	}

	return c.b.String()
}

// span is a stretch of a text.
type span struct{ from, to int }

// maxGap is the largest distance between numbers of a list, in bytes.
const maxGap = 10

// numbersAt lists the numbers from i on that have the same separator, ignoring
// blanks and line breaks.
func numbersAt(s string, i int, list []span) []span {
	between := ""
	for {
		end := i
		for end < len(s) && end-i <= 8 && char.Hex[s[end]] {
			end++
		}

		if end-i == 1 && s[i] == '0' && end < len(s) &&
			(s[end]|0x20 == 'x' || s[end]|0x20 == 'o' || s[end]|0x20 == 'b') {
			end++
			for end < len(s) && end-i <= 10 && char.Hex[s[end]] {
				end++
			}
		}

		if end == i || end-i > 10 {
			return list
		}

		if len(list) == 0 && end < len(s) && char.IsLetter(s[end]) {
			return list
		}

		list = append(list, span{i, end})
		next := end
		for next < len(s) && next-end < maxGap &&
			!(char.Hex[s[next]] && (s[next] <= '9' || next == end || !char.IsLetter(s[next-1]) &&
				between == strings.TrimSpace(s[end:next]))) {
			next++
		}

		if next >= len(s) || next-end >= maxGap || next == end {
			return list
		}

		gap := strings.TrimSpace(s[end:next])
		if len(list) > 1 && gap != between {
			return list
		}

		between, i = gap, next
	}
}

// decodeNumbers tries the bases that the digits allow.
func decodeNumbers(s string, list []span) string {
	for _, base := range []int{2, 16, 8, 10} {
		out := make([]byte, 0, len(list))
		for _, at := range list {
			f := s[at.from:at.to]
			if len(f) > 2 && f[0] == '0' && f[1] > '9' && (f[1]|0x20 != 'b' || base == 2) {
				f = f[2:]
			}

			if base == 2 && len(f) < 6 || base == 16 && len(f) != 2 && !(len(f) == 4 && f[0] == '0') {
				break
			}

			n, err := strconv.ParseUint(f, base, 32)
			if err != nil || n > utf8.MaxRune || n < 9 {
				break
			}

			if n > 0x7f && n < 0x100 && base != 10 {
				out = append(out, byte(n))
			} else {
				out = utf8.AppendRune(out, rune(n))
			}
		}

		if len(out) >= len(list)-1 {
			if text := textOf(out); text != "" && vowels(text) {
				return text
			}
		}
	}

	return ""
}

// vowels reports whether text has spaces and vowels like sentences. Numbers
// decoded in the wrong base do not.
func vowels(s string) bool {
	n := 0
	for i := 0; i < len(s); i++ {
		switch c := s[i] | 0x20; {
		case c == ' ' || isVowel(c), s[i] >= 0x80:
			n++
		}
	}
	return n*4 > len(s)
}

func isVowel(c byte) bool {
	switch c {
	case 'a', 'e', 'i', 'o', 'u', 'y':
		return true
	}
	return false
}
