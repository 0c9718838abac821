//go:build heldout

package mutation

import (
	"strings"
	"unicode"
)

func heldOutInvisible() []Operator {
	insert := func(name, mark, what string, step int) Operator {
		return Operator{Family: Invisible, Name: name, Disguise: true,
			Reads:   what + " is inserted between letters of words. Removing it restores the text.",
			rewrite: inPlace(func(_ *draft, s string) string { return between(s, mark, step) })}
	}
	return []Operator{
		insert("invisible-separator", "\u2063", "An invisible separator", 2),
		insert("function-application", "\u2061", "The mark of function application", 3),
		insert("grapheme-joiner", "\u034f", "A combining grapheme joiner", 2),
		insert("variation-selector", "\ufe00", "A variation selector", 1),
		insert("vowel-separator", "\u180e", "A Mongolian vowel separator", 3),
		insert("mark-of-direction", "\u200e", "A left-to-right mark", 2),
		{Family: Invisible, Name: "selector-bytes", Disguise: true,
			Reads: "Every byte of the passage is a variation selector, as text has been hidden behind an emoji; " +
				"subtracting restores the bytes.",
			rewrite: inPlace(func(_ *draft, s string) string {
				var b strings.Builder
				b.WriteString("\U0001f4ce")
				for _, c := range []byte(s) {
					if c < 16 {
						b.WriteRune(0xFE00 + rune(c))
					} else {
						b.WriteRune(0xE0100 + rune(c) - 16)
					}
				}

				return b.String()
			})},
	}
}

// greek are Greek letters that look like Latin ones.
var greek = map[rune]rune{
	'a': 'α', 'i': 'ι', 'k': 'κ', 'n': 'η', 'o': 'ο', 'p': 'ρ', 't': 'τ', 'u': 'υ', 'v': 'ν', 'x': 'χ', 'y': 'γ',
	'A': 'Α', 'B': 'Β', 'E': 'Ε', 'H': 'Η', 'I': 'Ι', 'K': 'Κ', 'M': 'Μ', 'N': 'Ν', 'O': 'Ο', 'P': 'Ρ', 'T': 'Τ',
	'X': 'Χ', 'Y': 'Υ', 'Z': 'Ζ',
}

// phonetic are small capitals from the phonetic extensions.
var phonetic = []rune("ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘǫʀꜱᴛᴜᴠᴡxʏᴢ")

func heldOutVisual() []Operator {
	return []Operator{
		{Family: Visual, Name: "greek-letters", Disguise: true,
			Reads:   "Every second Latin letter that has a Greek look-alike is replaced by it.",
			rewrite: ascii(func(s string) string { return lookAlike(s, greek, 2) })},
		{Family: Visual, Name: "circled",
			Reads:   "Letters become circled ones, as in styled posts; NFKC restores the text.",
			rewrite: ascii(func(s string) string { return styled(s, 'ⓐ', 'Ⓐ', 0) })},
		{Family: Visual, Name: "monospace",
			Reads:   "Letters and digits become mathematical monospace ones; NFKC restores the text.",
			rewrite: ascii(func(s string) string { return styled(s, '𝚊', '𝙰', '𝟶') })},
		{Family: Visual, Name: "small-capitals",
			Reads: "Letters become small capitals of the phonetic extensions, as in styled posts; a table restores " +
				"them, except the case.",
			rewrite: ascii(func(s string) string {
				return mapASCIILetters(s, func(place int, _ bool) string { return string(phonetic[place]) })
			})},
		{Family: Visual, Name: "stacked-marks",
			Reads:   "Each letter has three combining marks. Removing them restores the text.",
			rewrite: ascii(func(s string) string { return marked(s, "\u0301\u0323\u0336") })},
		{Family: Visual, Name: "bidi-words", Disguise: true,
			Reads: "Each word is written backwards inside a right-to-left override of its own, so that people see " +
				"it forwards.",
			rewrite: ascii(func(s string) string {
				return mapWords(s, func(w string) string { return "\u202e" + reversed(w) + "\u202c" })
			})},
	}
}

func heldOutANSI() []Operator {
	const read = " Removing the sequences restores the text."
	return []Operator{
		{Family: ANSI, Name: "colour-of-256", Disguise: true,
			Reads:   "The passage in a colour next to that of the background." + read,
			rewrite: inPlace(func(_ *draft, s string) string { return "\x1b[38;5;232;48;5;232m" + s + "\x1b[39;49m" })},
		{Family: ANSI, Name: "one-character-csi", Disguise: true,
			Reads:   "Concealed by sequences that begin with the single character U+009B." + read,
			rewrite: inPlace(func(_ *draft, s string) string { return "\u009b8m" + s + "\u009b28m" })},
		{Family: ANSI, Name: "hyperlink", Disguise: true,
			Reads: "The passage as the text of a terminal's hyperlink." + read,
			rewrite: inPlace(func(_ *draft, s string) string {
				return "\x1b]8;;https://docs.example/\x1b\\" + s + "\x1b]8;;\x1b\\"
			})},
		{Family: ANSI, Name: "carriage-return", Disguise: true,
			Reads: "The passage on one line, which a carriage return and an erasure make invisible in a terminal." +
				read,
			rewrite: inPlace(func(_ *draft, s string) string { return flat(s) + "\r\x1b[K" })},
		{Family: ANSI, Name: "between-letters", Disguise: true,
			Reads: "A sequence without effect is inserted between letters of words." + read,
			rewrite: inPlace(func(_ *draft, s string) string {
				return mapWords(s, func(w string) string {
					letters := strings.FieldsFunc(w, func(r rune) bool { return !unicode.IsLetter(r) })
					if len(letters) != 1 {
						return w
					}

					return between(w, "\x1b[m", 3)
				})
			})},
	}
}
