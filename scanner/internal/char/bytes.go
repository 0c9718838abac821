package char

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// ByteSet is a set of ASCII characters.
type ByteSet [256]bool

func SetOf(s string) (t ByteSet) {
	for i := 0; i < len(s); i++ {
		t[s[i]] = true
	}
	return t
}

// In reports whether a text contains any of them.
func (t *ByteSet) In(s string) bool {
	for i := 0; i < len(s); i++ {
		if t[s[i]] {
			return true
		}
	}
	return false
}

const AlphaNumeric = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

var (
	Base64 = SetOf(AlphaNumeric + "+/-_=")
	Hex    = SetOf("0123456789abcdefABCDEF")
)

// Runs calls f with each maximal run of at least least bytes of the set, until
// f returns true. It looks at the place that a run from i would have to reach,
// and searches backwards from there, so that most of a text with short words is
// never examined.
func Runs(s string, set *ByteSet, least int, f func(run string) bool) {
	for i := 0; i+least <= len(s); {
		k := i + least - 1
		for k >= i && set[s[k]] {
			k--
		}

		if k >= i {
			i = k + 1
			continue
		}

		j := i + least
		for j < len(s) && set[s[j]] {
			j++
		}

		if !f(s[i:j]) {
			return
		}

		i = j
	}
}

func IsLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func IsWord(c byte) bool {
	return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9'
}

// WordBytes are the bytes of IsWord.
var WordBytes = SetOf(AlphaNumeric)

func IsUpper(c byte) bool { return c >= 'A' && c <= 'Z' }

func Lower(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c
}

// Capital returns the capital of an ASCII letter.
func Capital(c byte) byte {
	if c >= 'a' && c <= 'z' {
		c -= 'a' - 'A'
	}
	return c
}

func IsASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

func HasSuffixFold(s, suffix string) bool {
	return len(s) >= len(suffix) && strings.EqualFold(s[len(s)-len(suffix):], suffix)
}

// HasPrefixFold reports whether s begins with prefix, ignoring case. Nearly
// always the first byte decides.
func HasPrefixFold(s, prefix string) bool {
	if len(s) < len(prefix) {
		return false
	}

	for i := range len(prefix) {
		a, b := s[i], prefix[i]
		if a|b >= 0x80 {
			return strings.EqualFold(s[i:len(prefix)], prefix[i:])
		}

		if Lower(a) != Lower(b) {
			return false
		}
	}

	return true
}

func LowerASCII(buf []byte, s string) []byte {
	buf = buf[:0]
	for i := 0; i < len(s); i++ {
		b := s[i]
		if b >= 'A' && b <= 'Z' {
			b += 'a' - 'A'
		}
		buf = append(buf, b)
	}
	return buf
}

// IndexFold finds a lower-case part in a text, ignoring the text's case.
func IndexFold(text, part string) int {
	next := func(from int, c byte) int {
		if i := strings.IndexByte(text[from:], c); i >= 0 {
			return from + i
		}

		return len(text)
	}
	lower, upper := part[0], strings.ToUpper(part[:1])[0]
	small, capital := next(0, lower), len(text)
	if upper != lower {
		capital = next(0, upper)
	}

	for i := min(small, capital); i+len(part) <= len(text); i = min(small, capital) {
		switch {
		case HasPrefixFold(text[i:], part):
			return i
		case i == small:
			small = next(i+1, lower)
		default:
			capital = next(i+1, upper)
		}
	}

	return -1
}

func AllHex(s string) bool {
	for i := 0; i < len(s); i++ {
		if !Hex[s[i]] {
			return false
		}
	}
	return true
}

func HexValue(c byte) byte {
	switch {
	case c >= 'a':
		return c - 'a' + 10
	case c >= 'A':
		return c - 'A' + 10
	}
	return c - '0'
}

func HexByte(a, b byte) byte { return HexValue(a)<<4 | HexValue(b) }

func IsOctal(c byte) bool { return c >= '0' && c <= '7' }

// VisibleASCII are the visible ASCII characters.
var VisibleASCII = func() (t ByteSet) {
	for c := '!'; c < 0x7f; c++ {
		t[c] = true
	}
	return t
}()

func IndexFrom(s, sub string, from int) int {
	i := strings.Index(s[from:], sub)
	if i < 0 {
		return -1
	}
	return from + i
}

func StartsWithLetter(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.IsLetter(r)
}

// IsCJK covers Han, kana and their marks.
func IsCJK(r rune) bool {
	return r >= 0x3040 && r <= 0x30FF || r >= 0x3400 && r <= 0x4DBF || r >= 0x4E00 && r <= 0x9FFF ||
		r >= 0xF900 && r <= 0xFAFF || r >= 0x20000 && r <= 0x3FFFF || r == 0x3005
}

// EachWord calls f with the bounds of every run of ASCII letters, until f
// returns true.
func EachWord[T string | []byte](s T, f func(from, to int) bool) {
	for i := 0; i < len(s); {
		if !IsLetter(s[i]) {
			i++
			continue
		}

		from := i
		for i < len(s) && IsLetter(s[i]) {
			i++
		}

		if !f(from, i) {
			return
		}
	}
}

// Base64Digits are the digits of base64 in their order.
const Base64Digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
