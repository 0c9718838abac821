package scanner

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// byteSet is a set of ASCII characters.
type byteSet [256]bool

func setOf(s string) (t byteSet) {
	for i := 0; i < len(s); i++ {
		t[s[i]] = true
	}
	return t
}

// in says whether a text has any of them.
func (t *byteSet) in(s string) bool {
	for i := 0; i < len(s); i++ {
		if t[s[i]] {
			return true
		}
	}
	return false
}

const alnum = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

var (
	base64Set = setOf(alnum + "+/-_=")
	hexSet    = setOf("0123456789abcdefABCDEF")
)

// runs calls f with each maximal run of the set's characters of at least
// least bytes, until f says stop. It looks at where a run from i would have to
// reach and from there back, so that most of a text of short words is never
// looked at.
func runs(s string, set *byteSet, least int, f func(run string) bool) {
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

func letterByte(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func wordByte(c byte) bool {
	return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9'
}

// wordBytes are the bytes of wordByte.
var wordBytes = setOf(alnum)

func upperByte(c byte) bool { return c >= 'A' && c <= 'Z' }

func lowerByte(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c
}

// capital gives the capital of an ASCII letter.
func capital(c byte) byte {
	if c >= 'a' && c <= 'z' {
		c -= 'a' - 'A'
	}
	return c
}

func isASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

func hasFoldSuffix(s, suffix string) bool {
	return len(s) >= len(suffix) && strings.EqualFold(s[len(s)-len(suffix):], suffix)
}

// hasFoldPrefix says whether s begins with prefix in any case. Nearly always
// the first byte says no.
func hasFoldPrefix(s, prefix string) bool {
	if len(s) < len(prefix) {
		return false
	}
	for i := range len(prefix) {
		a, b := s[i], prefix[i]
		if a|b >= 0x80 {
			return strings.EqualFold(s[i:len(prefix)], prefix[i:])
		}
		if lowerByte(a) != lowerByte(b) {
			return false
		}
	}
	return true
}

func lowerASCII(buf []byte, s string) []byte {
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

// indexFold finds a part of lower case in a text of any.
func indexFold(text, part string) int {
	for i := 0; i+len(part) <= len(text); i++ {
		if lowerByte(text[i]) == part[0] && hasFoldPrefix(text[i:], part) {
			return i
		}
	}
	return -1
}

func allHex(s string) bool {
	for i := 0; i < len(s); i++ {
		if !hexSet[s[i]] {
			return false
		}
	}
	return true
}

func nibble(c byte) byte {
	switch {
	case c >= 'a':
		return c - 'a' + 10
	case c >= 'A':
		return c - 'A' + 10
	}
	return c - '0'
}

func hexByte(a, b byte) byte { return nibble(a)<<4 | nibble(b) }

func octal(c byte) bool { return c >= '0' && c <= '7' }

// printableSet are the characters of ASCII that are seen.
var printableSet = func() (t byteSet) {
	for c := '!'; c < 0x7f; c++ {
		t[c] = true
	}
	return t
}()

func indexFrom(s, sub string, from int) int {
	i := strings.Index(s[from:], sub)
	if i < 0 {
		return -1
	}
	return from + i
}

func startsLetter(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.IsLetter(r)
}

// isCJK covers Han, kana and their marks.
func isCJK(r rune) bool {
	return r >= 0x3040 && r <= 0x30FF || r >= 0x3400 && r <= 0x4DBF || r >= 0x4E00 && r <= 0x9FFF ||
		r >= 0xF900 && r <= 0xFAFF || r >= 0x20000 && r <= 0x3FFFF || r == 0x3005
}

// eachWord calls f with the bounds of every run of ASCII letters, until f says
// stop.
func eachWord[T string | []byte](s T, f func(from, to int) bool) {
	for i := 0; i < len(s); {
		if !letterByte(s[i]) {
			i++
			continue
		}
		from := i
		for i < len(s) && letterByte(s[i]) {
			i++
		}
		if !f(from, i) {
			return
		}
	}
}

// digits64 are the digits of base64 in their order.
const digits64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
