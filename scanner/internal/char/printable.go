package char

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxEvidence bounds evidence and detail in bytes, including the ellipsis.
const MaxEvidence = 240

// Printable makes text safe to print in a terminal, a page and a log: valid
// UTF-8 of at most MaxEvidence bytes, without invisible characters and
// characters that move the cursor or reverse the line.
func Printable(s string) string { return printable(s, MaxEvidence) }

// printable does the same for at most most bytes.
func printable(s string, most int) string {
	if len(s) <= most && printableASCII(s) {
		return s
	}

	const ellipsis = "…"
	var b strings.Builder
	b.Grow(min(len(s), most))
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		piece := s[i : i+size]
		i += size
		if r == utf8.RuneError {
			piece = "\uFFFD"
		}

		if ActsOnDisplay(r) {
			piece = fmt.Sprintf("\\u{%X}", r)
			if r == '\n' || r == '\t' || r == '\r' {
				piece = " "
			}
		}

		if b.Len()+len(piece) > most-len(ellipsis) {
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

// ActsOnDisplay reports whether a rune affects the display instead of being
// displayed.
func ActsOnDisplay(r rune) bool {
	if r < 0x80 {
		return r < 0x20 || r == 0x7f
	}
	return unicode.IsControl(r) || Invisible(r) || unicode.Is(unicode.Co, r) ||
		unicode.Is(unicode.Zl, r) || unicode.Is(unicode.Zp, r) ||
		!unicode.IsPrint(r) && !unicode.IsSpace(r)
}
