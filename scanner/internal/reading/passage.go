package reading

import (
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/concept"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/sense"
	"github.com/touchstone-eval/touchstone/scanner/internal/token"
	"github.com/touchstone-eval/touchstone/scanner/internal/tool"
)

// passage is the sentence under inspection with its context.
type passage struct {
	v    *Reading
	reg  *tool.Registry
	d    int
	doc  *token.Doc
	sen  *token.Sentence
	toks []token.Token
	mask concept.Set
	kind tool.Kind
	// quoted counts the previous sentences of the text that quote attacks.
	quoted int
	// about holds the meanings of the tool's name and first sentence, and
	// nameMeans those of the name alone.
	about, nameMeans concept.Set
	// moods are the moods of the sentence's tokens plus one, as far as known.
	moods [token.MaxSentence + 1]token.Mood
	// words are the indices of the sentence's tokens among the words of tripwires.
	words []uint16
	// signs are the signatures of the tokens signed.
	signs  token.Signature
	signed []token.Token
}

// setSentence starts the inspection of a sentence.
func (x *passage) setSentence(s *token.Sentence) {
	if x.sen == s {
		return
	}
	x.sen, x.toks, x.mask = s, x.v.Tokens[s.Tok0:s.Tok1], s.Means
	clear(x.moods[:min(len(x.toks), len(x.moods))])
}

// findAny returns the first token from from to before to that has some of the
// meanings want, or -1.
func (x *passage) findAny(want concept.Set, from, to int) int {
	for i := max(from, 0); i < min(to, len(x.toks)); i++ {
		if x.toks[i].Means.Any(want) {
			return i
		}
	}
	return -1
}

// senseAt returns the first token with some of these senses, or -1.
func (x *passage) senseAt(want sense.Set) int {
	for i := range x.toks {
		if x.toks[i].Senses.Any(want) {
			return i
		}
	}
	return -1
}

// mood is the mood of the verb at token i.
func (x *passage) mood(i int) token.Mood {
	if i >= len(x.moods) {
		return token.MoodOf(x.toks, i, x.sen)
	}
	if x.moods[i] == 0 {
		x.moods[i] = token.MoodOf(x.toks, i, x.sen) + 1
	}
	return x.moods[i] - 1
}

// index is the index of the sentence in the reading.
func (x *passage) index() int {
	lo, hi := x.doc.Sen0, x.doc.Sen1
	for lo < hi {
		mid := (lo + hi) / 2
		if x.v.Clauses[mid].Tok0 < x.sen.Tok0 {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// nearbySenses returns the senses of the sentence and of its neighbours in the text.
func (x *passage) nearbySenses() (s sense.Set) {
	at := x.index()
	for k := max(x.doc.Sen0, at-1); k <= min(at+1, x.doc.Sen1-1); k++ {
		s |= x.v.Clauses[k].Senses
	}
	return s
}

// into reports whether something is put into what token i names: "in note",
// "as the ref".
func (x *passage) into(i int) bool {
	return x.isWord(i-1, "in", "into", "as", "under", "via", "through", "inside", "within", "im", "en", "dans", "als",
		"em", "como", "comme", "feld", "в") ||
		x.isWord(i-2, "in", "into", "as", "im", "en", "dans", "als", "em", "como") &&
			x.toks[i-1].Means.Any(concept.This|concept.Stop|concept.Foreign|concept.Param) || x.sen.Foreign && i > 0 &&
		x.toks[i-1].Senses.Any(sense.Field)
}
