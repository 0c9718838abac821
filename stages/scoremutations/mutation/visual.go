package mutation

import (
	"strings"
	"unicode"
)

// cyrillic maps Latin letters to Cyrillic letters that look like them.
var cyrillic = map[rune]rune{
	'a': 'а', 'c': 'с', 'e': 'е', 'i': 'і', 'j': 'ј', 'o': 'о', 'p': 'р', 's': 'ѕ', 'x': 'х', 'y': 'у',
	'A': 'А', 'B': 'В', 'C': 'С', 'E': 'Е', 'H': 'Н', 'I': 'І', 'K': 'К', 'M': 'М', 'O': 'О', 'P': 'Р', 'T': 'Т',
	'X': 'Х',
}

// lookAlike replaces every step-th character that is in the table.
func lookAlike(s string, table map[rune]rune, step int) string {
	seen := 0
	return strings.Map(func(r rune) rune {
		t, ok := table[r]
		if !ok {
			return r
		}
		if seen++; (seen-1)%step > 0 {
			return r
		}
		return t
	}, s)
}

// styled replaces a-z, A-Z and 0-9 by ranges of characters that start at the given
// ones; 0 keeps the characters of that range.
func styled(s string, lower, upper, digit rune) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z' && lower > 0:
			return r - 'a' + lower
		case r >= 'A' && r <= 'Z' && upper > 0:
			return r - 'A' + upper
		case r >= '0' && r <= '9' && digit > 0:
			return r - '0' + digit
		}
		return r
	}, s)
}

// marked adds combining marks after each letter.
func marked(s, marks string) string {
	var b strings.Builder
	for _, r := range s {
		b.WriteRune(r)
		if unicode.IsLetter(r) {
			b.WriteString(marks)
		}
	}
	return b.String()
}

// reversed reverses the characters of each line.
func reversed(s string) string {
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		r := []rune(line)
		for a, z := 0, len(r)-1; a < z; a, z = a+1, z-1 {
			r[a], r[z] = r[z], r[a]
		}
		lines[i] = string(r)
	}
	return strings.Join(lines, "\n")
}

// ascii returns a rewriting of ASCII letters. It does not apply to text in other
// scripts.
func ascii(f func(string) string) func(*draft) bool {
	return inPlace(func(_ *draft, s string) string {
		if !mostlyASCII(s) {
			return s
		}
		return f(s)
	})
}

func visual() []Operator {
	return []Operator{
		{Family: Visual, Name: "cyrillic-letters", Disguise: true,
			Reads: "Every third Latin letter that has a Cyrillic look-alike is replaced by it. People see no " +
				"difference, and models read words with foreign look-alikes. A table restores the text.",
			rewrite: ascii(func(s string) string { return lookAlike(s, cyrillic, 3) })},
		{Family: Visual, Name: "cyrillic-all", Disguise: true,
			Reads:   "Like cyrillic-letters, for every letter that has a look-alike.",
			rewrite: ascii(func(s string) string { return lookAlike(s, cyrillic, 1) })},
		{Family: Visual, Name: "full-width",
			Reads: "ASCII letters and digits become full-width ones, as East Asian text has them. Unicode's " +
				"compatibility normalisation (NFKC) restores the text.",
			rewrite: ascii(func(s string) string { return styled(s, 'ａ', 'Ａ', '０') })},
		{Family: Visual, Name: "mathematical-bold",
			Reads:   "Letters become mathematical bold ones, as in styled posts; NFKC restores the text.",
			rewrite: ascii(func(s string) string { return styled(s, '𝐚', '𝐀', '𝟎') })},
		{Family: Visual, Name: "underlined",
			Reads: "A combining low line (U+0332) follows each letter, which shows as underlined text. Removing " +
				"the marks restores the text.",
			rewrite: ascii(func(s string) string { return marked(s, "\u0332") })},
		{Family: Visual, Name: "bidi-override", Disguise: true,
			Reads: "The passage is written backwards inside a right-to-left override, so that people see it " +
				"forwards; models read reversed text. Reversing the lines restores it.",
			rewrite: ascii(func(s string) string { return "\u202e" + reversed(s) + "\u202c" })},
	}
}
