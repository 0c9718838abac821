// Package tokenize splits text and identifiers into words. It imports no
// package of Touchstone.
//
// It serves comparisons that need no index. Two other places split text
// differently: internal/proxy/reference/text.go also splits HTTPServer, gives pairs of
// characters for scripts without spaces and drops encoded data, as a search
// needs; internal/data/validation/naming.go keeps the place of each word.
package tokenize

import (
	"strings"
	"unicode"
)

// Words returns the runs of letters and digits of text, in lower case and in
// order. A name in camel case is split: "searchIssues" gives "search" and
// "issues".
func Words(text string) []string {
	var list []string
	var word strings.Builder
	end := func() {
		if word.Len() > 0 {
			list = append(list, word.String())
			word.Reset()
		}
	}
	lower := false // the previous rune was a lower-case letter or a digit
	for _, r := range text {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			end()
		case unicode.IsUpper(r) && lower:
			end()
			fallthrough
		default:
			word.WriteRune(unicode.ToLower(r))
		}

		lower = unicode.IsLower(r) || unicode.IsDigit(r)
	}

	end()
	return list
}
