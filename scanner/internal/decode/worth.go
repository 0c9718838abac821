package decode

import (
	"math/bits"
	"strings"

	"github.com/touchstone-eval/touchstone/scanner/internal/token"
)

// Selects the decoders that are worth trying for a text. The tokenizer's counts
// decide for all of them; ordinary prose needs none.

// decoderID is the index of a decoder in decoders, and a Set is a set of them. The raw decoders
// follow them in a Set.
type (
	decoderID uint8
	Set       uint32
)

const (
	deBase64 decoderID = iota
	deHex
	deBase32
	dePercent
	deEscapes
	deEntities
	deNumbers
	deLeet
	deSpaced
	deCipher
	deCase
	deCount
)

// First returns the first decoder of a set that is not empty.
func (s Set) First() *Decoder { return &decoders[bits.TrailingZeros32(uint32(s))] }

func (s *Set) add(id decoderID) { *s |= 1 << id }

// Worth returns the decoders that may find something in a text. In doubt it
// includes a decoder.
func Worth(d *token.Doc) (set Set) {
	st := &d.Stats
	unknown := st.Words - st.Known
	if st.LongestWord >= 12 || st.Longest >= 4 {
		worthOfWords(st, &set)
	}

	if st.Odd > 1 || st.Marks != 0 {
		worthOfMarks(st, d.Text, unknown, &set)
	}

	if st.Numbers >= MinDecoded || st.Words >= 2*MinDecoded && st.Known*3 <= st.Words {
		set.add(deNumbers)
	}

	if st.Mixed > 1 {
		set.add(deLeet)
	}

	if st.Singles >= 8 {
		set.add(deSpaced)
	}

	if st.Whims >= minUnknown && st.Whims*3 >= st.Runs {
		set.add(deCase)
	}

	return set
}

// worthOfWords adds the decoders for long words and for runs of unknown ones.
// Text encoded in letters and digits has a digit, unless it is very long or cut
// into pieces.
func worthOfWords(st *token.Stats, set *Set) {
	pieces := st.Longest >= 4 && st.StrangeRun >= 4
	if pieces || st.Unbroken >= token.MinRun &&
		(st.Digits || st.Marks&(token.MarkPlus|token.MarkEquals) != 0 || st.Unbroken >= 3*token.MinRun) {
		set.add(deBase64)
	}

	if st.Digits && st.LongestWord >= token.MinRun {
		set.add(deHex)
	}

	if st.LongestWord >= 2*token.MinRun || st.Digits && st.LongestWord >= token.MinRun {
		set.add(deBase32)
	}

	if st.Strange && st.Longest >= 4 {
		set.add(deCipher)
	}
}

// worthOfMarks adds the decoders for text that consists of marks or begins with
// them.
func worthOfMarks(st *token.Stats, s string, unknown int32, set *Set) {
	if st.Odd >= MinDecoded && st.Strange && unknown*3 >= st.Words*2 {
		set.add(deCipher)
	}

	if st.Marks&token.MarkPercent != 0 && strings.Count(s, "%") >= 4 {
		set.add(dePercent)
	}

	if st.Marks&(token.MarkBackslash|token.MarkPlus|token.MarkEquals) != 0 {
		set.add(deEscapes)
	}

	if st.Marks&token.MarkAmpersand != 0 && (strings.Count(s, "&#") >= 4 || strings.Count(s, "&") >= 6) {
		set.add(deEntities)
	}

	if st.Marks&token.MarkSign != 0 && signsInWords(s) > 1 {
		set.add(deLeet)
	}
}
