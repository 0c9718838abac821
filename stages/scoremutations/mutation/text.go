package mutation

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// abbreviations end in a full stop that does not end the sentence.
var abbreviations = []string{"e.g.", "i.e.", "etc.", "vs.", "cf.", "approx.", "z.b.", "bzw.", "p.ej.", "no.", "st."}

// sentenceEnd returns the length of the first sentence of s including its end
// mark, and the number of bytes of white space after it.
func sentenceEnd(s string) (end, gap int) {
	for i, r := range s {
		after := i + utf8.RuneLen(r)
		switch {
		case r == utf8.RuneError:
			continue
		case r == '\n':
			if strings.TrimSpace(s[:i]) == "" {
				continue
			}

			return i, blanks(s[i:])
		case strings.ContainsRune("。！？", r):
			return after, blanks(s[after:])
		case !strings.ContainsRune(".!?", r):
			continue
		}

		rest := s[after:]
		if rest == "" {
			return after, 0
		}

		next, _ := utf8.DecodeRuneInString(rest)
		if !unicode.IsSpace(next) && next != '<' && next != '\x1b' && !invisibleRune(next) {
			continue
		}

		word := s[strings.LastIndexAny(s[:i], " \n\t(")+1 : after]
		if slices.Contains(abbreviations, strings.ToLower(word)) {
			continue
		}

		return after, blanks(rest)
	}

	return len(s), 0
}

func blanks(s string) int { return len(s) - len(strings.TrimLeftFunc(s, unicode.IsSpace)) }

func invisibleRune(r rune) bool {
	return unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Co, r) || unicode.Is(unicode.Variation_Selector, r)
}

// sentences splits s into sentences. Joined again, they give s.
func sentences(s string) []string {
	var list []string
	for s != "" {
		end, gap := sentenceEnd(s)
		if end+gap == 0 {
			end = len(s)
		}
		list = append(list, s[:end+gap])
		s = s[end+gap:]
	}
	return list
}

// substance reports whether a text is long enough to be a passage: three words,
// or eight letters of a script without spaces.
func substance(s string) bool {
	if len(strings.Fields(s)) >= 3 {
		return true
	}
	n := 0
	for _, r := range s {
		if unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) {
			n++
		}
	}
	return n >= 8
}

// piece is part of a text. A word consists of letters, and possibly of an
// apostrophe or a hyphen inside. Other pieces must stay unchanged: spaces,
// punctuation, and exact text such as paths, addresses, quoted names and code.
type piece struct {
	text string
	word bool
}

// pieces splits s. Joined again, the pieces give s.
func pieces(s string) []piece {
	var list []piece
	code := false
	for s != "" {
		n := blanks(s)
		if n > 0 {
			list = append(list, piece{text: s[:n]})
			s = s[n:]
			continue
		}

		if n = strings.IndexFunc(s, unicode.IsSpace); n < 0 {
			n = len(s)
		}

		token := s[:n]
		s = s[n:]
		ticks := strings.Count(token, "`")
		inside := code || ticks > 0
		code = code != (ticks%2 == 1)
		core := strings.TrimLeft(token, "([{\"“„*_—¿¡")
		before := token[:len(token)-len(core)]
		core = strings.TrimRight(core, ".,;:!?)]}\"”*_…")
		if inside || !isWord(core) {
			list = append(list, piece{text: token})
			continue
		}

		list = append(list, piece{text: before}, piece{text: core, word: true},
			piece{text: token[len(before)+len(core):]})
	}

	return slices.DeleteFunc(list, func(p piece) bool { return p.text == "" })
}

func isWord(s string) bool {
	letters := false
	for i, r := range s {
		switch {
		case unicode.IsLetter(r) || unicode.IsMark(r):
			letters = true
		case (r == '\'' || r == '’' || r == '-') && i > 0 && i < len(s)-1:
		default:
			return false
		}
	}
	return letters
}

// mapWords applies f to the words of a text.
func mapWords(s string, f func(word string) string) string {
	var b strings.Builder
	for _, p := range pieces(s) {
		if p.word {
			p.text = f(p.text)
		}
		b.WriteString(p.text)
	}
	return b.String()
}

// mostlyASCII reports whether nine of ten letters are ASCII, which alphabetic
// ciphers and English word lists require.
func mostlyASCII(s string) bool {
	letters, ascii := 0, 0
	for _, r := range s {
		if unicode.IsLetter(r) {
			letters++
			if r < utf8.RuneSelf {
				ascii++
			}
		}
	}
	return letters > 0 && ascii*10 >= letters*9
}

// mapASCIILetters replaces the letters a-z and A-Z. place is the position of the
// letter in the alphabet.
func mapASCIILetters(s string, f func(place int, upper bool) string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r >= 'a' && r <= 'z':
			b.WriteString(f(int(r-'a'), false))
		case r >= 'A' && r <= 'Z':
			b.WriteString(f(int(r-'A'), true))
		default:
			b.WriteRune(r)
		}
	}

	return b.String()
}

// sameCase gives replacement the capitalisation of word.
func sameCase(word, replacement string) string {
	first, _ := utf8.DecodeRuneInString(word)
	if !unicode.IsUpper(first) {
		return replacement
	}
	r, n := utf8.DecodeRuneInString(replacement)
	return string(unicode.ToUpper(r)) + replacement[n:]
}
