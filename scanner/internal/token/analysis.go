package token

import (
	"slices"

	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/concept"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/lexicon"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/sense"
)

// A text of more than longText bytes gets room for its tokens at once: growing their slice step by
// step would copy them several times. A word has about six bytes with its blank, and many languages
// and data have more.
const (
	longText      = 16 << 10
	bytesPerToken = 8
)

// Analyze splits the text of d into tokens and sentences, appends these to the
// given slices and fills in d. It joins phrases, looks up foreign words in
// sentences that have some, and combines the meanings of each sentence.
func (z *Tokenizer) Analyze(lex *lexicon.Lexicon, d *Doc, tokens []Token, sentences []Sentence) ([]Token, []Sentence) {
	text := d.Text
	if room := len(text) / bytesPerToken; len(text) > longText && room > cap(tokens)-len(tokens) {
		tokens = slices.Grow(tokens, room)
	}

	d.Tok0, d.Sen0 = len(tokens), len(sentences)
	z.reset(lex, text, &d.Stats, tokens, sentences)
	marks := len(z.marks)
	z.run()
	d.Clauses = z.marks[marks:]
	d.Tok1, d.Sen1 = len(z.tokens), len(z.sentences)
	toks := z.tokens[d.Tok0:]
	if d.Stats.chained >= LongChain-1 {
		unchain(text, toks)
	}

	if z.means.Any(concept.System | concept.User) {
		joinPhrases(lex, toks)
		compounds(text, toks)
	} else if z.opens != 0 {
		joinPhrases(lex, toks)
	}

	for s := d.Sen0; s < d.Sen1; s++ {
		sen := &z.sentences[s]
		toks := z.tokens[sen.Tok0:sen.Tok1]
		if d.Stats.Foreign > 0 {
			lookupForeign(lex, text, toks, sen)
		}

		sen.sumUp(toks)
	}

	return z.tokens, z.sentences
}

// sumUp combines the meanings of the tokens of a sentence.
func (s *Sentence) sumUp(toks []Token) {
	var mask concept.Set
	var senses sense.Set
	var flags Flags
	for k := range toks {
		t := &toks[k]
		mask |= t.Means
		senses |= t.Senses
		flags |= t.Flags
		if t.Node == 0 && t.Means != 0 && t.Form == lexicon.OtherForm {
			s.Foreign = true
		}
	}

	s.Means, s.Senses, s.Flags = mask, senses, flags
}

// Forget drops the clauses of all texts so far, so that their memory is reused.
func (z *Tokenizer) Forget() { z.marks = z.marks[:0] }
