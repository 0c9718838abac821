package decode

import (
	"strings"

	"github.com/touchstone-eval/touchstone/scanner/internal/char"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/lexicon"
	"github.com/touchstone-eval/touchstone/scanner/internal/token"
)

// Ciphers that put letters for letters or in another order. A stretch of text
// that is unlike prose is read in every way that is known; the way under which
// it is most like prose counts, if it is that by far.

const (
	// cipherSample is how much of a text decides, in bytes.
	cipherSample = 480
	// costGain is by how much a reading has to be more like prose, in
	// hundredths of a bit a letter.
	costGain = 60
)

// reading is a way to read a text: it rewrites it, in place or not.
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

// findCipher reads what is unlike prose as a cipher.
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
		// A transposition has to be read as a whole, so once a text.
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
			rest = rest[at+2:] // what stands before may be a note
		}
		return true
	})
	return c.b.String()
}

// proseLetters reports whether letters have about the shares that they have in
// prose, as they have in any order.
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

// convincing reports whether a reading is text and not just less unlike it. In
// other languages than English few words are known, so there the gain decides.
func convincing(text []byte, cost, before int) bool {
	share := spelledShare(text)
	return cost < costProse && (share >= 40 || before-cost >= 2*costGain && len(text) >= 64) || cost < CostStrange && share >= 60
}

// strangeRuns calls f with the bounds of stretches of text that are unlike
// prose, cut where a sentence or a note before it ends. marks are those of the
// text's clauses.
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
		if short { // too short to tell: as what stands around it
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

// unlikeProse reports whether a clause is unlike prose, and whether it is too short
// to tell.
func unlikeProse(clause string) (is, short bool) {
	cost := ProseCost(clause)
	if cost < costBackwards || cost == costUnknown {
		return false, cost == costUnknown
	}
	// A short piece is unlike prose by chance.
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

// knownWords counts the words of a text and those that the lexicon knows.
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

// backwards picks the way in which a text may be backwards: by its lines, by
// its words, or by its words with the marks beside them. The letters are as
// likely in each, so capitals decide, which begin sentences.
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

// begins counts capitals that begin a sentence, less those that begin another
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

// reverseOrder turns each line around, by characters.
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

// reverseWords turns each word around and leaves their order. What is a word as
// it stands and none the other way stays: names and paths are often left alone.
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

// reverseTokens turns around whatever stands between blanks, with the marks
// that belong to it.
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

// leastTurned is a bound from below on the cost of a text in which words stand
// backwards, whichever do and in whatever order: each counts the cheaper way
// round. A text may end with a word, whose end is no pair then.
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
