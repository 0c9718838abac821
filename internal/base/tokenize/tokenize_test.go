package tokenize

import (
	"slices"
	"strings"
	"testing"
	"unicode"
)

func TestWords(t *testing.T) {
	for text, want := range map[string]string{
		"searchIssues":          "search issues",
		"list_pull-requests v2": "list pull requests v2",
		"HTTPServer":            "httpserver",
		"Über die Straße, 日本語!": "über die straße 日本語",
		"":                      "",
		"  .. ":                 "",
	} {
		if got := strings.Join(Words(text), " "); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// FuzzWords checks that words consist of letters and digits and are in the
// order of the text.
func FuzzWords(f *testing.F) {
	f.Add("searchIssues of a_repo")
	f.Fuzz(func(t *testing.T, text string) {
		for _, w := range Words(text) {
			if w == "" || strings.ContainsFunc(w, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) }) {
				t.Fatalf("%q: %q", text, w)
			}
		}
		if a, b := Words(text+" x"), append(Words(text), "x"); !slices.Equal(a, b) {
			t.Fatalf("%q: %q and %q", text, a, b)
		}
	})
}
