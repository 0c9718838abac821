package selection

import "strings"

// Clip returns the first n characters of text as valid UTF-8, with an ellipsis
// if it was longer.
func Clip(text string, n int) string {
	runes := []rune(strings.ToValidUTF8(text, "\uFFFD"))
	if len(runes) <= n {
		return string(runes)
	}
	return string(runes[:n]) + "…"
}
