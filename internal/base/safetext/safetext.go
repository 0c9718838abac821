// Package safetext makes text from untrusted sources safe to print: on a
// terminal, in a log, in JSON and in Markdown. It also shortens it.
package safetext

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Visible makes untrusted text safe to print on one line of a terminal. It
// writes characters that act on the display or are not seen (control,
// bidirectional, zero-width and other invisible characters, line ends) as
// their code, such as \u{202E}. It returns plain text unchanged.
func Visible(s string) string {
	clean := utf8.ValidString(s)
	for _, r := range s {
		if Hidden(r) {
			clean = false
			break
		}
	}

	if clean {
		return s
	}

	var b strings.Builder
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			b.WriteRune(utf8.RuneError)
		case Hidden(r):
			fmt.Fprintf(&b, `\u{%X}`, r)
		default:
			b.WriteString(s[i : i+size])
		}

		i += size
	}

	return b.String()
}

// Bytes returns a name as UTF-8 text: each byte that is not part of a character is written as its code, such as \xE9,
// and a backslash as two. The bytes can be told from the text, and distinct names stay distinct.
func Bytes(name string) string {
	name = strings.ReplaceAll(name, `\`, `\\`)
	if utf8.ValidString(name) {
		return name
	}

	var b strings.Builder
	for i := 0; i < len(name); {
		r, size := utf8.DecodeRuneInString(name[i:])
		if r == utf8.RuneError && size == 1 {
			fmt.Fprintf(&b, `\x%02X`, name[i])
		} else {
			b.WriteString(name[i : i+size])
		}
		i += size
	}
	return b.String()
}

// Path returns the name of a file for one line of a message. Distinct names stay distinct.
func Path(name string) string { return Visible(Bytes(name)) }

// MaxName is the length, in bytes, of the longest name that a message shows in
// full.
const MaxName = 120

// Name makes a name safe to print and shortens it.
func Name(s string) string {
	if s == "" {
		return "(unnamed)"
	}
	return Visible(Clip(s, MaxName))
}

// Hidden reports whether a character acts on the display or is invisible.
// Besides what Unicode calls unprintable (all controls and formats, private use,
// every space but the plain one) these are letters and marks that no font draws:
// fillers, variation selectors, the grapheme joiner and the empty Braille cell.
func Hidden(r rune) bool {
	switch {
	case r < utf8.RuneSelf:
		return r < 0x20 || r == 0x7f
	case !unicode.IsPrint(r):
		return true
	case r == 0x034f, r == 0x115f, r == 0x1160, r == 0x2800, r == 0x3164, r == 0xffa0:
		return true
	}
	return unicode.In(r, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}

// JSON escapes the hidden characters of a JSON text. Parsers read the same
// value, and the text is harmless in a terminal or a review. text must be valid
// JSON, in which such characters occur only in strings.
func JSON(text []byte) []byte {
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		switch {
		case r < utf8.RuneSelf && r != 0x7f || !Hidden(r):
			out = append(out, text[i:i+size]...)
		case r > 0xffff:
			hi, lo := utf16.EncodeRune(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, hi, lo)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}

		i += size
	}

	return out
}

// MarkdownCode formats untrusted text as code in Markdown. It writes every
// punctuation mark as an entity, so that the text cannot contain markup, a link,
// a mention or the border of a table cell.
func MarkdownCode(s string) string {
	var b strings.Builder
	b.WriteString("<code>")
	for _, r := range Visible(s) {
		switch {
		case r < utf8.RuneSelf && !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune(" ,-/", r):
			fmt.Fprintf(&b, "&#%d;", r)
		default:
			b.WriteRune(r)
		}
	}

	b.WriteString("</code>")
	return b.String()
}

// Clip shortens untrusted text to about n bytes, for a message.
func Clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}
