package char

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestPrintable(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"plain", "plain"}, {"a\nb", "a b"}, {"a\x1b[31m", `a\u{1B}[31m`}, {"\u202e", `\u{202E}`},
		{"a\u200bb", `a\u{200B}b`}, {"\xff", "\uFFFD"}, {"é 日本", "é 日本"},
	} {
		if got := Printable(c.in); got != c.want {
			t.Errorf("Printable(%q) = %q, want %q", c.in, got, c.want)
		}
	}
}

func FuzzPrintable(f *testing.F) {
	f.Add("a\u200b\x1b\xff")
	f.Fuzz(func(t *testing.T, s string) {
		got := Printable(s)
		if len(got) > MaxEvidence {
			t.Errorf("%d bytes of text, at most %d", len(got), MaxEvidence)
		}
		if !utf8.ValidString(got) {
			t.Errorf("%q is not valid UTF-8", got)
		}
		if i := strings.IndexFunc(got, ActsOnDisplay); i >= 0 {
			t.Errorf("a character of %q acts on the display", got)
		}
	})
}
