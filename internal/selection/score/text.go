package score

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// folded normalises a text for searching words: NFKC, without case, with single
// blanks.
func folded(text string) string {
	return strings.Join(strings.Fields(cases.Fold().String(norm.NFKC.String(text))), " ")
}

// hasWord reports whether a folded text contains a word or phrase at word
// boundaries.
func hasWord(text, phrase string) bool {
	for from := 0; phrase != ""; {
		i := strings.Index(text[from:], phrase)
		if i < 0 {
			return false
		}

		start := from + i
		end := start + len(phrase)
		before, _ := utf8.DecodeLastRuneInString(text[:start])
		after, _ := utf8.DecodeRuneInString(text[end:])
		first, _ := utf8.DecodeRuneInString(phrase)
		last, _ := utf8.DecodeLastRuneInString(phrase)
		if !(inWord(before) && inWord(first)) && !(inWord(last) && inWord(after)) {
			return true
		}

		_, size := utf8.DecodeRuneInString(text[start:])
		from = start + size
	}

	return false
}

func inWord(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_')
}
