package scanner

import (
	"html"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Decoders for characters written one by one: percent, escapes, entities,
// numbers.

func findPercent(d *doc) string {
	s := d.text
	if d.stats.marks&markPercent == 0 || strings.Count(s, "%") < 4 {
		return ""
	}
	out := make([]byte, 0, len(s))
	n, run := 0, 0
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) && hexSet[s[i+1]] && hexSet[s[i+2]] {
			if run++; run == longRun {
				out = ownLine(out, longRun-1)
			}
			out = append(out, hexByte(s[i+1], s[i+2]))
			i += 2
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

// longRun is the number of escapes in a row from which they are a text of
// their own, not letters that the rest needs.
const longRun = 12

// ownLine puts a line break before the last n bytes, which began such a run.
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

// spelledOut says whether a text writes plain letters as escapes that begin
// with prefix and hold the code of the letter in hexadecimal or, for "&#", in
// decimal digits: nothing but a wish to hide makes anybody do that.
func spelledOut(s, prefix string) bool {
	n := 0
	for from := 0; n < longRun; {
		i := indexFrom(s, prefix, from)
		if i < 0 {
			return false
		}
		from = i + len(prefix)
		rest := s[from:min(len(s), from+6)]
		rest = strings.TrimLeft(rest, "0{")
		v, digits := 0, 0
		base := 16
		if prefix == "&#" {
			if rest = strings.TrimPrefix(rest, "x"); len(rest) > 0 && s[from] != 'x' {
				base = 10
			}
		}
		for digits < len(rest) && digits < 3 && hexSet[rest[digits]] && (base == 16 || rest[digits] <= '9') {
			v = v*base + int(nibble(rest[digits]))
			digits++
			if base == 16 && digits == 2 {
				break
			}
		}
		if v < 0x80 && letterByte(byte(v)) {
			n++
		} else if v >= 0x80 {
			n = max(0, n-2)
		}
	}
	return true
}

func hexByte(a, b byte) byte { return nibble(a)<<4 | nibble(b) }

func nibble(c byte) byte {
	switch {
	case c >= 'a':
		return c - 'a' + 10
	case c >= 'A':
		return c - 'A' + 10
	}
	return c - '0'
}

// findEscapes reads \uXXXX, \u{X}, \xXX, \NNN, U+XXXX and =XX (quoted
// printable) runs.
func findEscapes(d *doc) string {
	s := d.text
	if d.stats.marks&(markBackslash|markPlus|markEquals) == 0 || strings.IndexByte(s, '\\') < 0 && !strings.Contains(s, "U+") && !strings.Contains(s, "u+") && strings.Count(s, "=") < 6 {
		return ""
	}
	out := make([]byte, 0, len(s))
	n, run, from := 0, 0, 0
	for i := 0; i < len(s); {
		r, size := escapeAt(s[i:])
		if size == 0 {
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
		if r < 0x100 && r >= 0x80 && s[i+1] == 'x' {
			out = append(out, byte(r))
		} else {
			out = utf8.AppendRune(out, r)
		}
		i += size
		n++
		if s[i-size] == 'U' || s[i-size] == 'u' {
			for i < len(s) && s[i] == ' ' && i+1 < len(s) && s[i+1]|0x20 == 'u' {
				i++
			}
		}
	}
	if n < 4 {
		return ""
	}
	return strings.ToValidUTF8(string(out), "�")
}

// escapeAt reads one escape at the start of s; size 0 when there is none.
func escapeAt(s string) (r rune, size int) {
	digits, base, from, width := 0, 16, 2, 4
	switch {
	case len(s) > 3 && s[0] == '\\' && s[1] == 'u' && s[2] == '{':
		from, width = 3, 6
	case len(s) > 5 && (s[0] == '\\' && s[1] == 'u' || (s[0] == 'U' || s[0] == 'u') && s[1] == '+'):
	case len(s) > 9 && s[0] == '\\' && s[1] == 'U':
		width = 8
	case len(s) > 3 && s[0] == '\\' && s[1] == 'x':
		width = 2
	case len(s) > 3 && s[0] == '\\' && s[1] >= '0' && s[1] <= '3':
		base, from, width = 8, 1, 3
	case len(s) > 2 && s[0] == '=' && hexSet[s[1]] && hexSet[s[2]] && s[1] < 'a' && s[2] < 'a':
		from, width = 1, 2
	default:
		return 0, 0
	}
	for from+digits < len(s) && digits < width && hexSet[s[from+digits]] {
		digits++
	}
	if digits == 0 || width != 6 && digits < width {
		return 0, 0
	}
	n, err := strconv.ParseUint(s[from:from+digits], base, 32)
	if err != nil || n > utf8.MaxRune {
		return 0, 0
	}
	size = from + digits
	if from == 3 && size < len(s) && s[size] == '}' {
		size++
	}
	return rune(n), size
}

func findEntities(d *doc) string {
	s := d.text
	if d.stats.marks&markAmpersand == 0 || strings.Count(s, "&#") < 4 && strings.Count(s, "&") < 6 {
		return ""
	}
	return strings.ToValidUTF8(html.UnescapeString(s), "�")
}

// findNumbers reads characters written as numbers: hexadecimal pairs, octal,
// decimal or binary, separated by white space, commas or 0x.
func findNumbers(d *doc) string {
	if d.stats.numbers < 8 {
		return ""
	}
	s := d.text
	var c collector
	for i := 0; i < len(s); {
		j, count := i, 0
		var fields []string
		for j < len(s) {
			k := j
			for k < len(s) && hexSet[s[k]] || k == j+1 && k < len(s) && s[k]|0x20 == 'x' && s[j] == '0' {
				k++
			}
			if k == j || k-j > 8 {
				break
			}
			fields = append(fields, s[j:k])
			count++
			for k < len(s) && (s[k] == ' ' || s[k] == ',' || s[k] == '\n' || s[k] == ':' || s[k] == ';') {
				k++
			}
			j = k
		}
		if count >= 8 && !c.add(decodeNumbers(fields)) {
			break
		}
		for j < len(s) && wordByte(s[j]) {
			j++
		}
		i = max(j, i) + 1
	}
	return c.b.String()
}

// decodeNumbers tries the bases that the digits allow.
func decodeNumbers(fields []string) string {
	for _, base := range []int{2, 16, 8, 10} {
		out := make([]byte, 0, len(fields))
		for _, f := range fields {
			f = strings.TrimPrefix(strings.TrimPrefix(f, "0x"), "0X")
			if base == 2 && len(f) < 7 || base == 16 && len(f) != 2 {
				break
			}
			n, err := strconv.ParseUint(f, base, 32)
			if err != nil || n > utf8.MaxRune || n < 9 {
				break
			}
			if n > 0x7f && base != 10 {
				out = append(out, byte(n))
			} else {
				out = utf8.AppendRune(out, rune(n))
			}
		}
		if len(out) >= len(fields)-1 {
			if text := textOf(out); text != "" && vowels(text) {
				return text
			}
		}
	}
	return ""
}

// vowels says whether text has spaces and vowels as sentences do, which
// numbers read in the wrong base have not.
func vowels(s string) bool {
	n := 0
	for i := 0; i < len(s); i++ {
		switch s[i] | 0x20 {
		case 'a', 'e', 'i', 'o', 'u', ' ':
			n++
		}
	}
	return n*4 > len(s)
}
