package decode

import (
	"html"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/touchstone-eval/touchstone/scanner/internal/char"
	"github.com/touchstone-eval/touchstone/scanner/internal/token"
)

// Decoders for characters written one by one: percent, escapes, entities.

func findPercent(d *token.Doc) string {
	s := d.Text
	out := make([]byte, 0, len(s))
	n, run := 0, 0
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) && char.Hex[s[i+1]] && char.Hex[s[i+2]] {
			if run++; run == longRun {
				out = ownLine(out, longRun-1)
			}

			out = append(out, char.HexByte(s[i+1], s[i+2]))
			i += 2
			n++
			continue
		}

		if s[i] == '%' && i+5 < len(s) && s[i+1]|0x20 == 'u' && char.AllHex(s[i+2:i+6]) {
			if run++; run == longRun {
				out = ownLine(out, longRun-1)
			}

			out = utf8.AppendRune(out, rune(char.HexByte(s[i+2], s[i+3]))<<8|rune(char.HexByte(s[i+4], s[i+5])))
			i += 5
			n++
			continue
		}

		run = 0
		out = append(out, s[i])
	}

	if n < 4 {
		return ""
	}

	return strings.ToValidUTF8(string(out), "�")
}

// longRun is the number of consecutive escapes from which they form a separate
// text and are not letters of the text around them.
const longRun = 12

// ownLine inserts a line break before the last n bytes, which began such a run.
func ownLine(out []byte, n int) []byte {
	at := len(out) - n
	if at <= 0 {
		return out
	}
	out = append(out, 0)
	copy(out[at+1:], out[at:])
	out[at] = '\n'
	return out
}

// findEscapes decodes runs of \uXXXX, \u{X}, \UXXXXXXXX, \xXX, \NNN, \X of CSS,
// \N{NAME} of a letter, U+XXXX and =XX (quoted-printable).
func findEscapes(d *token.Doc) string {
	s := d.Text
	if strings.Count(s, "\\")+strings.Count(s, "=")+strings.Count(s, "+") < 4 ||
		strings.IndexByte(s, '\\') < 0 && !strings.Contains(s, "U+") && !strings.Contains(s, "u+") &&
			strings.Count(s, "=") < 6 {
		return ""
	}

	out := make([]byte, 0, len(s))
	n, run, from := 0, 0, 0
	printable := false
	for i := 0; i < len(s); {
		if !escapeSet[s[i]] {
			from := i
			for i++; i < len(s) && !escapeSet[s[i]]; {
				i++
			}

			out = append(out, s[from:i]...)
			run = 0
			continue
		}

		r, size, isByte := escapeAt(s[i:])
		if size == 0 {
			// A line of quoted-printable may end in the middle.
			if printable && s[i] == '=' && i+1 < len(s) && s[i+1] == '\n' {
				i += 2
				continue
			}

			out = append(out, s[i])
			i++
			run = 0
			continue
		}

		if run == 0 {
			from = len(out)
		}

		if run++; run == longRun {
			out = ownLine(out, len(out)-from)
		}

		if isByte {
			out = append(out, byte(r))
		} else {
			out = utf8.AppendRune(out, r)
		}

		printable = printable || s[i] == '='
		i += size
		n++
		if c := s[i-size] | 0x20; c == 'u' {
			// Code points are separated by blanks.
			k := i
			for k < len(s) && (s[k] == ' ' || s[k] == ',') {
				k++
			}

			if k+1 < len(s) && s[k]|0x20 == 'u' && s[k+1] == '+' {
				i = k
			}
		}
	}

	if n < 4 {
		return ""
	}

	return strings.ToValidUTF8(string(out), "�")
}

// escapeSet are the first bytes of such escapes.
var escapeSet = char.SetOf(`\=uU`)

// escapeAt decodes one escape at the start of s. size is 0 if there is none.
// isByte is set if it represents a byte and not a character.
func escapeAt(s string) (r rune, size int, isByte bool) {
	if len(s) < 3 || s[0] != '\\' && s[0] != '=' && s[0]|0x20 != 'u' {
		return 0, 0, false
	}

	if s[0] == '\\' && s[1] == 'N' && s[2] == '{' {
		return letterName(s)
	}

	e, ok := escapeForm(s)
	if !ok {
		return 0, 0, false
	}

	digits := 0
	for e.from+digits < len(s) && digits < e.most && char.Hex[s[e.from+digits]] {
		digits++
	}

	if digits < e.least {
		return 0, 0, false
	}

	n, err := strconv.ParseUint(s[e.from:e.from+digits], e.base, 32)
	if err != nil || n > utf8.MaxRune || n < ' ' && n != '\n' && n != '\t' && n != '\r' {
		return 0, 0, false
	}

	size = e.from + digits
	if size < len(s) && (e.from == 3 && s[size] == '}' || e.from == 1 && e.most == 6 && digits < 6 && s[size] == ' ') {
		size++
	}

	return rune(n), size, e.isByte
}

// escape is a form of escape: where its digits begin, their number and base,
// and whether they are the code of a byte or of a character.
type escape struct {
	from, least, most, base int
	isByte                  bool
}

// escapeForm returns the form of the escape that a text of at least three bytes
// may begin with. Its first byte is a backslash, an equals sign or a u.
func escapeForm(s string) (e escape, ok bool) {
	e = escape{from: 2, least: 4, most: 4, base: 16}
	switch {
	case s[0] == '=':
		if !char.Hex[s[1]] || !char.Hex[s[2]] || s[1] >= 'a' || s[2] >= 'a' {
			return e, false
		}

		e.from, e.least, e.most, e.isByte = 1, 2, 2, true
	case s[0] != '\\':
		if s[1] != '+' {
			return e, false
		}

		e.least, e.most = 2, 6
	case s[1] == 'u' && s[2] == '{', s[1] == 'x' && s[2] == '{':
		e.from, e.least, e.most = 3, 1, 6
	case s[1] == 'u':
	case s[1] == 'U':
		e.least, e.most = 8, 8
	case s[1] == 'x':
		e.least, e.most, e.isByte = 2, 2, true
	case octalByte(s):
		e = escape{from: 1, least: 3, most: 3, base: 8, isByte: true}
	case char.Hex[s[1]]:
		e.from, e.least, e.most = 1, 2, 6 // CSS; a blank ends it
	default:
		return e, false
	}

	return e, true
}

// octalByte reports whether three octal digits follow a backslash, and are not
// the first of six digits of CSS.
func octalByte(s string) bool {
	if s[1] < '0' || s[1] > '3' || len(s) <= 3 || !char.IsOctal(s[2]) || !char.IsOctal(s[3]) {
		return false
	}
	return len(s) < 7 || !(char.IsOctal(s[4]) && char.IsOctal(s[5]) && char.IsOctal(s[6]))
}

// letterName reads \N{LATIN SMALL LETTER X} and the same of a capital.
func letterName(s string) (r rune, size int, isByte bool) {
	for _, small := range [...]bool{true, false} {
		prefix := "\\N{LATIN CAPITAL LETTER "
		if small {
			prefix = "\\N{LATIN SMALL LETTER "
		}

		if n := len(prefix); len(s) > n+1 && s[:n] == prefix && char.IsLetter(s[n]) && s[n+1] == '}' {
			if small {
				return rune(s[n] | 0x20), n + 2, false
			}

			return rune(s[n]), n + 2, false
		}
	}

	return 0, 0, false
}

func findEntities(d *token.Doc) string {
	return strings.ToValidUTF8(html.UnescapeString(d.Text), "�")
}
