package mutation

import (
	"strings"
	"unicode"
)

// between inserts mark between the letters of each word: before every step-th
// letter that follows another letter.
func between(s, mark string, step int) string {
	var b strings.Builder
	run := 0
	for _, r := range s {
		if !unicode.IsLetter(r) {
			run = 0
		} else {
			if run > 0 && run%step == 0 {
				b.WriteString(mark)
			}

			run++
		}

		b.WriteRune(r)
	}

	return b.String()
}

func invisible() []Operator {
	insert := func(name, mark, what string, step int) Operator {
		return Operator{Family: Invisible, Name: name, Disguise: true,
			Reads: what + " is inserted between letters of words. Tokenizers keep the order of the letters, and " +
				"models read over it. Removing it restores the text.",
			rewrite: inPlace(func(_ *draft, s string) string { return between(s, mark, step) })}
	}
	return []Operator{
		insert("zero-width-space", "\u200b", "A zero-width space", 1),
		insert("zero-width-joiner", "\u200d", "A zero-width joiner", 3),
		insert("zero-width-non-joiner", "\u200c", "A zero-width non-joiner", 2),
		insert("word-joiner", "\u2060", "A word joiner", 2),
		insert("soft-hyphen", "\u00ad", "A soft hyphen", 2),
		{Family: Invisible, Name: "tag-characters", Disguise: true,
			Reads: "The ASCII characters of the passage are written as Unicode tags, which models have been shown " +
				"to read and to obey. Subtracting U+E0000 restores the text.",
			rewrite: inPlace(func(_ *draft, s string) string {
				if !mostlyASCII(s) {
					return s
				}

				return strings.Map(func(r rune) rune {
					if r >= ' ' && r <= '~' {
						return r + 0xE0000
					}

					return r
				}, s)
			})},
	}
}
