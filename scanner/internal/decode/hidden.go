package decode

import (
	"strings"
	"unicode/utf8"

	"github.com/touchstone-eval/touchstone/scanner/internal/token"
)

// Decoders for characters that normalisation removes or cannot convert to
// letters: Braille, tag characters, variation selectors, direction overrides.

// brailleLetters returns the letter of each Braille cell of grade 1, by the
// offset from U+2800.
var brailleLetters = map[rune]byte{
	0x00: ' ', 0x01: 'a', 0x03: 'b', 0x09: 'c', 0x19: 'd', 0x11: 'e', 0x0B: 'f', 0x1B: 'g', 0x13: 'h', 0x0A: 'i', 0x1A: 'j',
	0x05: 'k', 0x07: 'l', 0x0D: 'm', 0x1D: 'n', 0x15: 'o', 0x0F: 'p', 0x1F: 'q', 0x17: 'r', 0x0E: 's', 0x1E: 't',
	0x25: 'u', 0x27: 'v', 0x3A: 'w', 0x2D: 'x', 0x3D: 'y', 0x35: 'z', 0x32: '.', 0x02: ',', 0x0C: '/', 0x24: '-',
}

func findBraille(s string) string {
	if !strings.Contains(s, "\xe2\xa0") {
		return ""
	}
	var b strings.Builder
	n := 0
	for _, r := range s {
		if r >= 0x2800 && r < 0x2900 {
			if l := brailleLetters[r-0x2800]; l != 0 {
				b.WriteByte(l)
				n++
			}
			continue
		}
		b.WriteRune(r)
	}
	if n < MinDecoded {
		return ""
	}
	return b.String()
}

// findTags decodes the tag characters that mirror ASCII.
func findTags(s string) string {
	if !strings.Contains(s, "\xf3\xa0\x80") && !strings.Contains(s, "\xf3\xa0\x81") {
		return ""
	}
	var b strings.Builder
	for _, r := range s {
		if r >= 0xE0020 && r < 0xE007F {
			b.WriteByte(byte(r - 0xE0000))
		}
	}
	return b.String()
}

// findSelectors decodes bytes carried by variation selectors: VS1..VS16 for the
// first sixteen values, VS17..VS256 for the others.
func findSelectors(s string) string {
	if !strings.Contains(s, "\xef\xb8") && !strings.Contains(s, "\xf3\xa0") {
		return ""
	}
	var out []byte
	for _, r := range s {
		switch {
		case r >= 0xFE00 && r <= 0xFE0F:
			out = append(out, byte(r-0xFE00))
		case r >= 0xE0100 && r <= 0xE01EF:
			out = append(out, byte(r-0xE0100+16))
		}
	}
	return textOf(out)
}

// findBidi returns text under a right-to-left override as it is displayed.
func findBidi(s string) string {
	if !strings.Contains(s, "\u202e") {
		return ""
	}
	var c collector
	for {
		i := strings.Index(s, "\u202e")
		if i < 0 {
			return c.b.String()
		}
		s = s[i+3:]
		run := s
		if j := strings.Index(s, "\u202c"); j >= 0 {
			run = s[:j]
		}
		if !c.add(reversed(run)) {
			return c.b.String()
		}
	}
}

func reversed(s string) string {
	out := make([]byte, len(s))
	to := len(s)
	for i := 0; i < len(s); {
		_, size := utf8.DecodeRuneInString(s[i:])
		to -= size
		copy(out[to:], s[i:i+size])
		i += size
	}
	return string(out)
}

// findTitles takes the titles of Markdown links out of their quotation marks,
// which quote nobody: a page shows a title only when the pointer is on the
// link.
func findTitles(d *token.Doc) string {
	var c collector
	s := d.Text
	for {
		at := strings.Index(s, "](")
		if at < 0 {
			return c.b.String()
		}
		s = s[at+2:]
		end := strings.IndexAny(s, " \n)")
		if end < 0 || s[end] != ' ' || end+1 >= len(s) || s[end+1] != '"' && s[end+1] != '\'' {
			continue
		}
		mark := s[end+1]
		title := s[end+2:]
		if stop := strings.Index(title, string(mark)+")"); stop >= 2*MinDecoded && !c.add(title[:stop]) {
			return c.b.String()
		}
	}
}
