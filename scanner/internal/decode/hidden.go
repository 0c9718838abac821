package decode

import (
	"strings"
	"unicode/utf8"
)

// Decoders for characters that normalisation removes or cannot convert to
// letters: Braille, tag characters, variation selectors, direction overrides.

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
