package mutation

import "strings"

// ansi returns operators that are all disguises: programs and models read a
// definition, and no honest terminal program prints it unchanged.
func ansi() []Operator {
	const read = " Models receive the escape sequences as characters and read the text around them. Removing the " +
		"sequences restores the text."
	return []Operator{
		{Family: ANSI, Name: "conceal", Disguise: true,
			Reads:   "The passage between the sequences that switch concealed text on and off." + read,
			rewrite: inPlace(func(_ *draft, s string) string { return "\x1b[8m" + s + "\x1b[28m" })},
		{Family: ANSI, Name: "black-on-black", Disguise: true,
			Reads:   "The passage in black on black." + read,
			rewrite: inPlace(func(_ *draft, s string) string { return "\x1b[30;40m" + s + "\x1b[0m" })},
		{Family: ANSI, Name: "erased-line", Disguise: true,
			Reads:   "The passage on a line of its own, which a terminal then erases." + read,
			rewrite: inPlace(func(_ *draft, s string) string { return "\n" + s + "\n\x1b[1A\x1b[2K" })},
		{Family: ANSI, Name: "colours", Disguise: true,
			Reads: "Each word is coloured." + read,
			rewrite: inPlace(func(_ *draft, s string) string {
				colour := strings.NewReplacer("0", "\x1b[31m", "1", "\x1b[32m", "2", "\x1b[36m")
				n := 0
				return mapWords(s, func(w string) string {
					n++
					return colour.Replace(string(rune('0'+n%3))) + w + "\x1b[0m"
				})
			})},
	}
}
