package char

import (
	"strings"
	"testing"
)

// Any part of any text can be quoted, also of one that is not UTF-8.
func TestQuote(t *testing.T) {
	for name, text := range map[string]string{
		"words":              strings.Repeat("a word of some letters, ", 12),
		"no white space":     strings.Repeat("x", 300),
		"wide characters":    strings.Repeat("語", 100),
		"continuation bytes": "{" + strings.Repeat(" ", 120) + strings.Repeat("\xb6", 200) + "}",
	} {
		for start := range len(text) + 1 {
			for _, end := range []int{start, start + 1, start + 80, len(text)} {
				q := Quote(text, start, end)
				if q.Start < 0 || q.Start > q.End || q.End > len(q.Text) || len(q.Text) > MaxEvidence {
					t.Fatalf("%s, %d to %d: %d to %d of %q", name, start, end, q.Start, q.End, q.Text)
				}
			}
		}
	}
}
