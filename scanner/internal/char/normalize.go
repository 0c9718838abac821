package char

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Normalize folds compatibility forms (NFKC: full-width, mathematical
// alphanumerics, ligatures), rewrites words that mix Latin letters with
// look-alikes in Latin letters, and removes invisible characters: zero-width,
// bidi, tag characters, variation selectors, soft hyphens, and control
// characters except line breaks and tabs. Text that needs no change is returned
// without a copy.
func Normalize(s string) string {
	i := PlainPrefix(s)
	if i == len(s) {
		return s
	}

	buf := make([]byte, 0, len(s))
	buf = append(buf, s[:i]...)
	changed, likeness, stable := false, false, true
	for skip := 0; i < len(s); i += skip {
		if s[i] < utf8.RuneSelf {
			if n := PlainPrefix(s[i:]); n > 0 {
				buf, skip = append(buf, s[i:i+n]...), n
				continue
			}
		}

		var r rune
		r, skip = utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError:
			changed = changed || skip == 1
			buf = utf8.AppendRune(buf, utf8.RuneError)
		case r == 0x1b:
			skip = EscapeLength(s[i:]) // including its parameters
			changed = true
		case r >= 0x3400 && r < 0xA000:
			buf = append(buf, s[i:i+skip]...) // Han, most of what is not ASCII
		case r < 0x80 || Invisible(r) || unicode.Is(unicode.Cc, r):
			changed = true
		case r == '\u2028' || r == '\u2029' || r == '\u0085':
			buf = append(buf, '\n')
			changed = true
		case r >= 0xFF01 && r <= 0xFF5E:
			buf = append(buf, byte(r-0xFEE0)) // as NFKC spells full-width ASCII
			changed = true
		default:
			stable = stable && settled(r)
			likeness = likeness || MayMix(r)
			buf = utf8.AppendRune(buf, r)
		}
	}

	if !stable && !norm.NFKC.IsNormal(buf) {
		// Folding may produce a letter that mixes, such as an accented Greek
		// one.
		buf, changed, likeness = norm.NFKC.Bytes(buf), true, true
	}

	if likeness {
		if folded, any := unmix(buf); any {
			buf, changed = norm.NFKC.Bytes(folded), true
		}
	}

	// Marks are judged after normalisation has placed them. Otherwise a second
	// pass would see other marks. None of them is settled.
	if !stable && stricken(buf) {
		return string(norm.NFKC.Bytes(dropMarks(buf)))
	}

	if !changed {
		return s
	}

	return string(buf)
}

// MayMix reports whether a rune belongs to a script whose letters look like
// Latin ones.
func MayMix(r rune) bool {
	return r >= 0x370 && r < 0x590 || r >= 0x13A0 && r < 0x1400 || r >= 0xAB70 && r < 0xABC0
}

// settled reports whether a rune, of the most common ones beyond ASCII, is left
// unchanged by NFKC and never joined to the text before it.
func settled(r rune) bool {
	switch {
	case r >= 0xC0 && r < 0x132, r >= 0x400 && r < 0x460, r >= 0x2012 && r < 0x2017, r >= 0x2018 && r < 0x2023,
		r >= 0x2190 && r < 0x219A, r >= 0x2500 && r < 0x2A0C, r >= 0x3001 && r < 0x3004, r >= 0x3008 && r < 0x302A,
		r >= 0x3041 && r < 0x3097, r >= 0x30A1 && r < 0x30FF, r >= 0x3400 && r < 0xA000, r >= 0xAC00 && r < 0xD7A4,
		r >= 0x1F300 && r < 0x1FAF0:
		return true
	}
	return false
}

// unmix rewrites words that mix Latin letters with look-alikes of another
// script in Latin letters.
func unmix(text []byte) (out []byte, any bool) {
	s, last := string(text), 0
	eachMixed(s, func(from, to int) {
		any = true
		out = append(out, s[last:from]...)
		for _, r := range s[from:to] {
			if f, ok := latinFolds()[r]; ok && r >= 0x250 {
				out = append(out, f...)
			} else {
				out = utf8.AppendRune(out, r)
			}
		}

		last = to
	})
	return append(out, s[last:]...), any
}

// stricken reports whether combining marks overlay or pile up on letters, which
// no orthography does. The marks are then removed.
func stricken(text []byte) bool {
	n := 0
	afterMark := false
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		text = text[size:]
		mark := IsMark(r)
		if r >= 0x0334 && r <= 0x0338 || mark && afterMark {
			if n++; n > 3 {
				return true
			}
		}

		afterMark = mark
	}

	return false
}

// IsMark reports whether a rune is of Unicode's block of combining diacritics.
func IsMark(r rune) bool { return r >= 0x300 && r < 0x370 }

func dropMarks(text []byte) []byte {
	return bytes.Map(func(r rune) rune {
		if IsMark(r) {
			return -1
		}
		return r
	}, text)
}

// PlainPrefix is the length of the printable ASCII at the beginning of text.
func PlainPrefix(s string) int {
	for i := 0; i < len(s); i++ {
		if !plainBytes[s[i]] {
			return i
		}
	}
	return len(s)
}

// plainBytes are printable ASCII and line breaks.
var plainBytes = func() (t ByteSet) {
	for c := range t[:0x7f] {
		t[c] = c >= ' ' || c == '\n' || c == '\t' || c == '\r'
	}
	return t
}()

// PlainASCII reports whether text needs no normalisation and hides nothing.
func PlainASCII(s string) bool { return PlainPrefix(s) == len(s) }

// Invisible reports whether a rune is not displayed: Unicode's default
// ignorable code points, and letters that fonts draw as blanks.
func Invisible(r rune) bool {
	switch {
	case r < 0x00AD:
		return false
	case r == 0x00AD, r == 0x034F, r == 0x061C, r == 0x115F, r == 0x1160,
		r == 0x17B4, r == 0x17B5, r >= 0x180B && r <= 0x180F,
		r >= 0x200B && r <= 0x200F, r >= 0x202A && r <= 0x202E,
		r >= 0x2060 && r <= 0x206F, r == 0x2800, r == 0x3164,
		r >= 0xFE00 && r <= 0xFE0F, r == 0xFEFF, r == 0xFFA0,
		r >= 0xFFF0 && r <= 0xFFFB, r >= 0x1BCA0 && r <= 0x1BCA3,
		r >= 0x1D173 && r <= 0x1D17A, r >= 0xE0000 && r <= 0xE0FFF:
		return true
	}

	return false
}

// EscapeLength returns the length of the terminal sequence at the beginning of
// s, 1 for a lone escape character, and 0 if there is none. A sequence is CSI
// with parameters and a final letter, or OSC up to its terminator.
func EscapeLength(s string) int {
	if s == "" || s[0] != 0x1b {
		return 0
	}

	if len(s) < 2 {
		return 1
	}

	switch s[1] {
	case '[':
		for i := 2; i < min(len(s), 34); i++ {
			if c := s[i]; c >= 0x40 && c <= 0x7e {
				return i + 1
			} else if c < 0x20 || c > 0x3f {
				return 1
			}
		}
	case ']':
		for i := 2; i < min(len(s), 258); i++ {
			if s[i] == 0x07 {
				return i + 1
			}

			if s[i] == 0x1b && i+1 < len(s) && s[i+1] == '\\' {
				return i + 2
			}
		}
	}

	return 1
}
