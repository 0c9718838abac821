package decode

import (
	"strings"

	"github.com/touchstone-eval/touchstone/scanner/internal/char"
	"github.com/touchstone-eval/touchstone/scanner/internal/token"
)

// Words with separated letters.

// findSpaced joins words with separated letters: "i g n o r e", "i.g.n.o.r.e".
// The gap between words must be wider than that between letters.
func findSpaced(d *token.Doc) string {
	s := d.Text
	first := firstSpaced(s)
	if first < 0 {
		return ""
	}

	var b strings.Builder
	b.WriteString(s[:first])
	closed := 0
	for i := first; i < len(s); {
		word, end := spacedWord(s, i)
		if n := letters(word); n >= 3 || n > 0 && closed > 0 {
			b.WriteString(word)
			closed += len(word)
			i = end
			continue
		}

		b.WriteByte(s[i])
		i++
	}

	if closed < MinDecoded {
		return ""
	}

	return strings.ToValidUTF8(b.String(), "")
}

// separatorSet are the separators between such letters.
var separatorSet = char.SetOf(" .-_*|/")

// firstSpaced is the offset of the first three or more separated letters, or -1.
func firstSpaced(s string) int {
	for i := 0; i+3 < len(s); i++ {
		if s[i+1] == s[i+3] && separatorSet[s[i+1]] {
			if word, _ := spacedWord(s, i); letters(word) >= 3 {
				return i
			}
		}
	}
	return -1
}

// letters counts the letters of a word. The closing braces of an example in JSON, "} } }", are none.
func letters(word string) int {
	n := 0
	for i := range len(word) {
		if char.IsWord(word[i]) && (word[i] < '0' || word[i] > '9') && word[i] != '_' {
			n++
		}
	}
	return n
}

// spacedWord reads single characters with one separator between each two, from
// i. end is the offset after them.
func spacedWord(s string, i int) (word string, end int) {
	if i+2 >= len(s) || s[i] <= ' ' || !separatorSet[s[i+1]] || i > 0 && char.IsWord(s[i-1]) {
		return "", i
	}

	sep := s[i+1]
	var buf [64]byte
	out := buf[:0]
	for end = i; end < len(s) && s[end] != sep && s[end] > ' ' && len(out) < 4096; end += 2 {
		if end+1 < len(s) && s[end+1] != sep {
			if !char.IsWord(s[end+1]) && s[end+1] <= ' ' {
				out = append(out, s[end])
				end++
			}

			return string(out), end
		}

		out = append(out, s[end])
		if end+2 >= len(s) || s[end+2] == sep || s[end+2] <= ' ' {
			return string(out), end + 1
		}
	}

	return string(out), min(end, len(s))
}

// minUnknown is the number of strange words from which a text is decoded as a whole.
const minUnknown = 4

// findCase decodes words with random capitalisation.
func findCase(d *token.Doc) string {
	if d.Stats.Words < 6 || d.Stats.Longest < 3 && d.Stats.Singles < 3 &&
		(d.Stats.Words-d.Stats.Known)*2 < d.Stats.Words {
		return ""
	}
	if d.Stats.Capitals < minUnknown && d.Stats.Marks&token.MarkBeyond == 0 {
		return ""
	}
	return string(char.LowerASCII(nil, d.Text))
}
