package decode

import (
	"strings"

	"github.com/touchstone-eval/touchstone/scanner/internal/char"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/lexicon"
	"github.com/touchstone-eval/touchstone/scanner/internal/token"
)

// Alphabets that are shifted or mirrored, and text that is written backwards. A
// stretch of text that is unlike prose is read in each of these ways. The result
// that is most like prose is used if it is clearly better than the original.

const (
	// cipherSample is the number of bytes of a text that decide.
	cipherSample = 480
	// costGain is how much more like prose a reading must be, in hundredths of
	// a bit a letter.
	costGain = 60
)

// findCipher decodes text that is unlike prose.
func findCipher(d *token.Doc) string {
	var c collector
	var buf []byte
	strangeRuns(d.Text, d.Clauses, func(from, to int) bool {
		run := d.Text[from:to]
		sample := run[:min(len(run), cipherSample)]
		before := proseCost(sample)
		if before == costUnknown || len(run) < 2*MinDecoded {
			return true
		}

		best, cost := -1, before-costGain
		for r := range readings {
			buf = read(r, append(buf[:0], sample...))
			if now := proseCost(buf); now < cost {
				best, cost = r, now
			}
		}

		if best < 0 || !convincing(read(best, []byte(sample)), cost, before) {
			return true
		}

		return c.add(string(read(best, []byte(run))))
	})
	return c.b.String()
}

// readings is the number of ways to read a text: backwards, with the alphabet
// shifted by 1 to 25 places, and mirrored by 26 to 51.
const readings = 52

// read reads a text in one of these ways. It may overwrite the text.
func read(r int, b []byte) []byte {
	if r == 0 {
		return reverseOrder(b)
	}

	step, shift := 1, r
	if r >= 26 {
		step, shift = 25, r-26
	}

	for i, c := range b {
		if char.IsLetter(c) {
			b[i] = c&^0x1f | byte(((int(c&0x1f)-1)*step+shift)%26) + 1
		}
	}

	return b
}

// convincing reports whether a reading is text and not just less unlike it. For
// languages other than English few words are known, so the gain decides.
func convincing(text []byte, cost, before int) bool {
	share := spelledShare(text)
	return cost < costProse && (share >= 40 || before-cost >= 2*costGain && len(text) >= 64) || cost < costStrange &&
		share >= 60
}

// strangeRuns calls f with the bounds of stretches of text that are unlike
// prose, cut where a sentence or a note before it ends. marks are the clauses
// of the text.
func strangeRuns(s string, marks []token.Clause, f func(from, to int) bool) {
	from, at, open := 0, 0, -1
	strange := false
	for _, mark := range marks {
		start, stop := at, mark.End
		at = stop
		is, short := false, false
		if !mark.Written {
			is, short = unlikeProse(s[start:stop])
		}

		if open < 0 {
			open = start
		}

		if short { // too short to tell: treated like its neighbours
			continue
		}

		is = is && stop-from <= MaxDecoded
		if is != strange {
			if strange && !f(from, start) {
				return
			}

			from, strange = open, is
		}

		open = -1
	}

	if strange {
		f(from, len(s))
	}
}

// unlikeProse reports whether a clause is unlike prose, and whether it is too
// short to tell.
func unlikeProse(clause string) (is, short bool) {
	cost := proseCost(clause)
	if cost < costBackwards || cost == costUnknown {
		return false, cost == costUnknown
	}
	// A short piece may be unlike prose by chance.
	share := spelledShare(clause)
	return share < 50, share < 0 && len(clause) < 2*token.MinRun
}

// reverseOrder reverses the characters of each line.
func reverseOrder(b []byte) []byte {
	var out []byte
	for line := range strings.SplitAfterSeq(string(b), "\n") {
		body := strings.TrimSuffix(line, "\n")
		out = append(out, reversed(body)...)
		out = append(out, line[len(body):]...)
	}
	return out
}

// knownWords counts the words of a text, and those in the lexicon.
func knownWords[T string | []byte](s T) (words, known int) {
	lex := lexicon.Get().Latin
	for i := 0; i < len(s); {
		if !char.IsLetter(s[i]) {
			i++
			continue
		}

		from := i
		var n uint16
		n, i = lexicon.Walk(lex, s, i)
		if i-from > 1 {
			words++
			if lex.Exact(n).Means != 0 {
				known++
			}
		}
	}

	return words, known
}

// SentenceEnd is the offset after the next full stop or line break.
func SentenceEnd(s string, from int) int {
	for i := from; i < len(s); i++ {
		if s[i] == '\n' || (s[i] == '.' || s[i] == '!' || s[i] == '?') && i+1 < len(s) && s[i+1] == ' ' {
			return i + 1
		}
	}
	return len(s)
}
