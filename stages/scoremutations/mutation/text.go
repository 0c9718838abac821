package mutation

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// abbreviations end in a full stop that ends no sentence.
var abbreviations = []string{"e.g.", "i.e.", "etc.", "vs.", "cf.", "approx.", "z.b.", "bzw.", "p.ej.", "no.", "st."}

// sentenceEnd gives the length of the first sentence of s with its end mark,
// and the number of bytes of white space after it.
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

// sentences cuts s; joined again they are s.
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

// substance says whether a text is long enough to be a passage: three words, or
// eight letters of a script that writes no blanks.
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

// piece is part of a text. A word has letters only, and maybe an apostrophe or
// a hyphen inside; all else is to be left as it is: blanks, punctuation, and
// what has to be exact, such as paths, addresses, names in quotes and code.
type piece struct {
	text string
	word bool
}

// pieces cuts s; joined again they are s.
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
		list = append(list, piece{text: before}, piece{text: core, word: true}, piece{text: token[len(before)+len(core):]})
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

// mapWords rewrites the words of a text.
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

// mostlyASCII says whether nine letters of ten are ASCII, which alphabetic
// ciphers and English word lists need.
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

// mapASCIILetters rewrites the letters a-z and A-Z; f gets the letter's place
// in the alphabet.
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

// sameCase gives replacement the capital of the word it stands for.
func sameCase(word, replacement string) string {
	first, _ := utf8.DecodeRuneInString(word)
	if !unicode.IsUpper(first) {
		return replacement
	}
	r, n := utf8.DecodeRuneInString(replacement)
	return string(unicode.ToUpper(r)) + replacement[n:]
}
