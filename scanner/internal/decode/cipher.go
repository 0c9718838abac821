package decode

import (
	"strings"

	"github.com/touchstone-eval/touchstone/scanner/internal/char"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/lexicon"
	"github.com/touchstone-eval/touchstone/scanner/internal/token"
)

// Ciphers that substitute or reorder letters. A stretch of text that is unlike
// prose is decoded in every known way. The result that is most like prose is
// used if it is clearly better than the original.

const (
	// cipherSample is the number of bytes of a text that decide.
	cipherSample = 480
	// costGain is how much more like prose a reading must be, in hundredths of
	// a bit a letter.
	costGain = 60
)

// reading is a way to decode a text. It may rewrite the text in place.
type reading func(b []byte) []byte

// trial finds the best reading of one sample.
type trial struct {
	sample []byte
	buf    []byte
	cost   int
	best   reading
}

// try compares one reading with the best so far.
func (t *trial) try(r reading) {
	t.buf = r(append(t.buf[:0], t.sample...))
	if cost := ProseCost(t.buf); cost < t.cost {
		t.cost, t.best = cost, r
	}
}

// findCipher decodes text that is unlike prose as a cipher.
func findCipher(d *token.Doc) string {
	var c collector
	moved := false
	strangeRuns(d.Text, d.Clauses, func(from, to int) bool {
		run := d.Text[from:to]
		t := trial{sample: []byte(run[:min(len(run), cipherSample)])}
		before := ProseCost(t.sample)
		if before == costUnknown || len(run) < 2*MinDecoded {
			return true
		}
		t.cost = before - costGain
		if leastTurned(t.sample) < t.cost {
			t.try(backwards(t.sample))
		}
		t.substitutions(before, d.Text[max(0, from-NoteLength):from])
		if t.best != nil && convincing(t.best(append(t.buf[:0], t.sample...)), t.cost, before) {
			return c.add(string(t.best([]byte(run))))
		}
		if moved || before < costMoved || spelledShare(t.sample) > 35 || !proseLetters(t.sample) {
			return true
		}
		// A transposition must be decoded as a whole, so this runs once for
		// each text.
		moved = true
		rest := d.Text[from:]
		for range 3 {
			if text := transposed(rest); text != "" {
				return c.add(text)
			}
			at := strings.Index(rest[:min(len(rest), NoteLength)], ": ")
			if at < 0 {
				break
			}
			rest = rest[at+2:] // the text before may be a note
		}
		return true
	})
	return c.b.String()
}

// proseLetters reports whether letters have about the same frequencies as in
// prose, in whatever order.
func proseLetters(b []byte) bool {
	sum, letters := 0, 0
	for _, c := range b {
		if char.IsLetter(c) {
			letters++
			sum += englishFrequency[c|0x20-'a']
		}
	}
	return letters >= 2*MinDecoded && sum >= 55*letters
}

// convincing reports whether a reading is text and not just less unlike it. For
// languages other than English few words are known, so the gain decides.
func convincing(text []byte, cost, before int) bool {
	share := spelledShare(text)
	return cost < costProse && (share >= 40 || before-cost >= 2*costGain && len(text) >= 64) || cost < CostStrange && share >= 60
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
	cost := ProseCost(clause)
	if cost < costBackwards || cost == costUnknown {
		return false, cost == costUnknown
	}
	// A short piece may be unlike prose by chance.
	share := spelledShare(clause)
	return share < 50, share < 0 && len(clause) < 2*token.MinRun
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

// backwards chooses how to reverse a text: by lines, by words, or by words with
// the marks beside them. The letters are equally likely in each, so capitals,
// which begin sentences, decide.
func backwards(sample []byte) reading {
	words := reading(reverseWords)
	if leading(sample) {
		words = reverseTokens
	}
	if begins(reverseOrder(sample)) >= begins(words(append([]byte(nil), sample...))) {
		return reverseOrder
	}
	return words
}

// begins counts capitals that begin a sentence, minus those that begin another
// word.
func begins(text []byte) int {
	n, open := 0, true
	char.EachWord(text, func(from, to int) bool {
		for i := from - 1; i >= 0 && !char.IsLetter(text[i]); i-- {
			open = open || text[i] == '.' || text[i] == '\n' || text[i] == ':' || text[i] == '!' || text[i] == '?'
		}
		switch {
		case text[from] >= 'a':
		case open:
			n++
		default:
			n--
		}
		open = false
		return true
	})
	return n
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

func reverseBytes(b []byte) {
	for x, y := 0, len(b)-1; x < y; x, y = x+1, y-1 {
		b[x], b[y] = b[y], b[x]
	}
}

// reverseWords reverses each word and keeps their order. A word that is known
// as written, and not when reversed, stays: names and paths are often not
// reversed.
func reverseWords(b []byte) []byte {
	for i := 0; i < len(b); {
		if !char.IsLetter(b[i]) {
			i++
			continue
		}
		from, letters := i, true
		for i < len(b) && (char.IsLetter(b[i]) || b[i] == '\'' && i+1 < len(b) && char.IsLetter(b[i+1])) {
			letters = letters && b[i] != '\''
			i++
		}
		word := b[from:i]
		if !letters {
			continue
		}
		was := lexicon.IsSpelled(word)
		reverseBytes(word)
		if was && len(word) > 2 && !lexicon.IsSpelled(word) {
			reverseBytes(word)
		}
	}
	return b
}

// reverseTokens reverses everything between blanks, including marks.
func reverseTokens(b []byte) []byte {
	for i := 0; i < len(b); {
		from := i
		for i < len(b) && b[i] > ' ' {
			i++
		}
		copy(b[from:i], reversed(string(b[from:i])))
		i++
	}
	return b
}

// leading reports whether more marks stand before words than after them.
func leading(b []byte) bool {
	n := 0
	for i := 1; i+1 < len(b); i++ {
		switch b[i] {
		case '.', ',', ';', ':', '!', '?':
			if b[i-1] <= ' ' && b[i+1] > ' ' {
				n++
			} else if b[i-1] > ' ' && b[i+1] <= ' ' {
				n--
			}
		}
	}
	return n > 0
}

// leastTurned is a lower bound of the cost of a text in which some words are
// reversed, in whatever order: each word counts in the cheaper direction. A
// text may end with a word, whose end is then not a pair.
func leastTurned(b []byte) int {
	const edge = pairClasses - 1
	cost, pairs, ends := 0, 0, 0
	for i := 0; i < len(b); {
		first := pairClass[b[i]]
		if first == edge {
			i++
			continue
		}
		from, last := i, first
		there, back := int(pairCost[edge][first]), int(pairCost[first][edge])
		for i++; i < len(b); i++ {
			k := pairClass[b[i]]
			if k == edge {
				break
			}
			there += int(pairCost[last][k])
			back += int(pairCost[k][last])
			last = k
		}
		cost += min(there+int(pairCost[last][edge]), back+int(pairCost[edge][last]))
		pairs += i - from + 1
		if from == 0 || i == len(b) {
			ends = max(ends, int(pairCost[first][edge]), int(pairCost[last][edge]))
		}
	}
	return (cost - ends) * 25 / max(pairs, 1)
}
