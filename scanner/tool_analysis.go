package scanner

import (
	"slices"

	"github.com/touchstone-eval/touchstone/scanner/internal/char"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/concept"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/sense"
)

// analyze tokenizes every field, looks foreign words up where a sentence has
// some, joins phrases, and sums each sentence's meaning up.
func (v *view) analyze() []doc {
	if v.docsDone {
		return v.docs
	}
	v.docs, v.tokens, v.clauses = v.docs[:0], v.tokens[:0], v.clauses[:0]
	lex := theLexicon()
	n := len(v.allFields())
	for i := range n {
		v.analyzeField(lex, i)
	}
	v.decode(lex)
	v.docsDone = true
	return v.docs
}

func (v *view) analyzeField(lex *lexicon, i int) {
	text := v.fields[i].text
	if !v.fields[i].plain {
		text = char.Normalize(text)
	}
	n := len(v.docs)
	v.docs = slices.Grow(v.docs, 1)[:n+1]
	d := &v.docs[n]
	*d = doc{}
	d.field, d.text, d.tok0, d.sen0 = i, text, len(v.tokens), len(v.clauses)
	z := &v.tokenizer
	z.reset(lex, text, &d.stats, v.tokens, v.clauses)
	marks := len(z.marks)
	z.run()
	d.marks = z.marks[marks:]
	v.tokens, v.clauses = z.tokens, z.sentences
	d.tok1, d.sen1 = len(v.tokens), len(v.clauses)
	toks := v.tokens[d.tok0:]
	if d.stats.chained >= longChain-1 {
		unchain(text, toks)
	}
	if z.means.Any(concept.System | concept.User) {
		joinPhrases(lex, toks)
		compounds(text, toks)
	} else if z.opens != 0 {
		joinPhrases(lex, toks)
	}
	for s := d.sen0; s < d.sen1; s++ {
		sen := &v.clauses[s]
		toks := v.tokens[sen.tok0:sen.tok1]
		if d.stats.foreign > 0 {
			lookupForeign(lex, text, toks, sen)
		}
		var mask concept.Set
		var senses sense.Set
		var flags tokenFlags
		for k := range toks {
			t := &toks[k]
			mask |= t.c
			senses |= t.s
			flags |= t.flags
			if t.node == 0 && t.c != 0 && t.f == formOther {
				sen.foreign = true
			}
		}
		sen.mask, sen.senses, sen.flags = mask, senses, flags
	}
}
