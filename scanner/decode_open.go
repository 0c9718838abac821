package scanner

import (
	"strings"

	"github.com/touchstone-eval/touchstone/scanner/internal/char"
)

// Which decoders a text is worth. One look at what the tokenizer counted decides
// for all of them; ordinary prose has nothing that any of them reads.

// decoderID is a decoder's place in decoders, a decoderSet some of them.
type (
	decoderID  uint8
	decoderSet uint32
)

const (
	deBase64 decoderID = iota
	deHex
	deBase32
	deBase85
	deUU
	deBigBase
	deTitles
	dePercent
	deEscapes
	deEntities
	deNumbers
	dePlaces
	deSpelling
	deSigns
	deLeet
	deSpaced
	deCipher
	deCase
	deReordered
	deJoined
	deRespelled
	deCount
)

func (s *decoderSet) add(id decoderID) { *s |= 1 << id }

// worth gives the decoders that may find something in a text. It errs on the
// side of asking.
func worth(d *doc) (set decoderSet) {
	st := &d.stats
	unknown := st.words - st.known
	if st.longestWord >= 12 || st.longest >= 4 {
		worthOfWords(st, &set)
	}
	if st.odd > 1 || st.marks != 0 {
		worthOfMarks(st, d.text, unknown, &set)
	}
	if st.numbers >= minDecoded || st.words >= 2*minDecoded && st.known*3 <= st.words {
		set.add(deNumbers)
	}
	if st.numbers >= minPlaces || st.numbers < 3 && st.stops >= minPlaces-2 &&
		(st.odd >= 4*minPlaces || st.stops >= 4*minPlaces) && dotted(d.text, minPlaces-2) {
		set.add(dePlaces)
	}
	if st.alphabet >= minPlaces {
		set.add(deSpelling)
	}
	if st.odd >= minSigns || st.numbers >= minDecoded || st.longest >= 8 || st.longestWord >= minSigns ||
		st.marks&markBeyond != 0 || st.marks&markDash != 0 && st.odd >= minSigns/3 {
		set.add(deSigns)
	}
	if st.mixed > 1 {
		set.add(deLeet)
	}
	if st.singles >= 8 {
		set.add(deSpaced)
	}
	if st.whims >= minUnknown && st.whims*3 >= st.runs {
		set.add(deCase)
	}
	if st.words > 5 && endsLikeWord(d.text) {
		set.add(deReordered)
	}
	if st.stops >= 2*minDecoded || unknown >= 2*minUnknown && unknown*2 >= st.words {
		set.add(deJoined)
	}
	if unknown >= minUnknown && st.words > 5 && unknown*5 >= st.words && !wellSpelled(d) {
		set.add(deRespelled)
	}
	return set
}

// worthOfWords adds the decoders of long words and of runs of unknown ones. What
// is encoded in letters and digits has a digit, unless it is very long or cut
// into pieces.
func worthOfWords(st *docStats, set *decoderSet) {
	pieces := st.longest >= 4 && st.strangeRun >= 4
	if pieces || st.unbroken >= minRun && (st.digits || st.marks&(markPlus|markEquals) != 0 || st.unbroken >= 3*minRun) {
		set.add(deBase64)
	}
	if st.digits && st.longestWord >= minRun {
		set.add(deHex)
	}
	if st.longestWord >= 2*minRun || st.digits && st.longestWord >= minRun {
		set.add(deBase32)
	}
	if st.digits && st.longestWord >= minBigRun {
		set.add(deBigBase)
	}
	if st.longestWord >= longWord+4 && st.longestStrange >= longWord {
		set.add(deJoined)
	}
	if st.strange && st.longest >= 4 {
		set.add(deCipher)
	}
}

// worthOfMarks adds the decoders of what consists of marks, or begins with them.
func worthOfMarks(st *docStats, s string, unknown int32, set *decoderSet) {
	set.add(deTitles)
	if st.odd > 2 && st.unbroken >= minRun85 {
		set.add(deBase85)
	}
	if st.odd >= minDecoded {
		set.add(deUU)
		if st.strange && unknown*3 >= st.words*2 {
			set.add(deCipher)
		}
	}
	if st.marks&markPercent != 0 && strings.Count(s, "%") >= 4 {
		set.add(dePercent)
	}
	if st.marks&(markBackslash|markPlus|markEquals) != 0 {
		set.add(deEscapes)
	}
	if st.marks&markAmpersand != 0 && (strings.Count(s, "&#") >= 4 || strings.Count(s, "&") >= 6) {
		set.add(deEntities)
	}
	if st.marks&markSign != 0 && signsInWords(s) > 1 {
		set.add(deLeet)
	}
}

// endsLikeWord says whether a text ends with a letter, or with what may stand
// after the first word of a sentence.
func endsLikeWord(s string) bool {
	if s == "" {
		return false
	}
	switch end := s[len(s)-1]; end {
	case ' ', '\n', ')', '"', '\'':
		return true
	default:
		return char.IsLetter(end)
	}
}
