package scanner

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// evidenceCap bounds evidence and detail in bytes, ellipsis included.
const evidenceCap = 240

// renderSafe makes text safe to print in a terminal, a page and a log:
// nothing invisible, nothing that moves the cursor or reverses the line, valid
// UTF-8, at most evidenceCap bytes.
func renderSafe(s string) string {
	if len(s) <= evidenceCap && printableASCII(s) {
		return s
	}
	const ellipsis = "…"
	var b strings.Builder
	b.Grow(min(len(s), evidenceCap))
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		piece := s[i : i+size]
		i += size
		if r == utf8.RuneError {
			piece = "\uFFFD"
		}
		if liveRune(r) {
			piece = fmt.Sprintf("\\u{%X}", r)
			if r == '\n' || r == '\t' || r == '\r' {
				piece = " "
			}
		}
		if b.Len()+len(piece) > evidenceCap-len(ellipsis) {
			b.WriteString(ellipsis)
			break
		}
		b.WriteString(piece)
	}
	return b.String()
}

func printableASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < 0x20 || s[i] > 0x7e {
			return false
		}
	}
	return true
}

// liveRune says whether a rune acts on the display instead of being seen.
func liveRune(r rune) bool {
	if r < 0x80 {
		return r < 0x20 || r == 0x7f
	}
	return unicode.IsControl(r) || invisible(r) || unicode.Is(unicode.Co, r) ||
		unicode.Is(unicode.Zl, r) || unicode.Is(unicode.Zp, r) ||
		!unicode.IsPrint(r) && !unicode.IsSpace(r)
}

// excerpt cuts what surrounds text[start:end] out of text, on rune borders.
func excerpt(text string, start, end int) string {
	const around = 24
	start, end = max(0, start-around), min(len(text), end+around)
	if end-start > 2*evidenceCap {
		end = start + 2*evidenceCap
	}
	for start > 0 && !utf8.RuneStart(text[start]) {
		start--
	}
	for end < len(text) && !utf8.RuneStart(text[end]) {
		end++
	}
	return strings.TrimSpace(text[start:end])
}
