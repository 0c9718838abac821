package scanner

import (
	"slices"

	"github.com/touchstone-eval/touchstone/scanner/internal/char"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/lexicon"
	"github.com/touchstone-eval/touchstone/scanner/internal/token"
)

// analyze tokenizes every field, looks foreign words up where a sentence has
// some, joins phrases, and sums each sentence's meaning up.
func (v *view) analyze() []token.Doc {
	if v.docsDone {
		return v.docs
	}
	v.docs, v.tokens, v.clauses = v.docs[:0], v.tokens[:0], v.clauses[:0]
	lex := lexicon.Get()
	n := len(v.allFields())
	for i := range n {
		v.analyzeField(lex, i)
	}
	v.decode(lex)
	v.docsDone = true
	return v.docs
}

func (v *view) analyzeField(lex *lexicon.Lexicon, i int) {
	text := v.fields[i].text
	if !v.fields[i].plain {
		text = char.Normalize(text)
	}
	n := len(v.docs)
	v.docs = slices.Grow(v.docs, 1)[:n+1]
	d := &v.docs[n]
	*d = token.Doc{Field: i, Text: text}
	v.tokens, v.clauses = v.tokenizer.Analyze(lex, d, v.tokens, v.clauses)
}
