package wording

import "strings"

// Shorten shortens a text to the given number of characters.
func Shorten(s string, most int) string {
	n := 0
	for i := range s {
		if n == most {
			return s[:i] + "…"
		}
		n++
	}
	return s
}

// controls reports whether a character acts on a screen, except line breaks.
func controls(r rune) bool {
	return r < 0x20 && r != '\r' && r != '\n' || r >= 0x7f && r < 0xa0 || r >= 0x202a && r <= 0x202e || r >= 0x2066 &&
		r <= 0x2069
}

// Plain replaces characters that could manipulate a terminal, including line
// breaks.
func Plain(s string) string { return lineBreaks.Replace(PlainLines(s)) }

var lineBreaks = strings.NewReplacer("\r", "·", "\n", "·")

// PlainLines replaces characters that could manipulate a terminal, except line
// breaks.
func PlainLines(s string) string {
	return strings.Map(func(r rune) rune {
		if controls(r) {
			return '·'
		}
		return r
	}, s)
}
