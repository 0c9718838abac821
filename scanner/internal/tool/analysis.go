package tool

import (
	"slices"

	"github.com/touchstone-eval/touchstone/scanner/internal/char"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/lexicon"
	"github.com/touchstone-eval/touchstone/scanner/internal/token"
)

// Analyze tokenizes every field, looks up foreign words in sentences that have
// some, joins phrases, and combines the meanings of each sentence.
func (v *View) Analyze() []token.Doc {
	if v.docsDone {
		return v.Docs
	}

	v.Docs, v.Tokens, v.Clauses = v.Docs[:0], v.Tokens[:0], v.Clauses[:0]
	lex := lexicon.Get()
	n := len(v.AllFields())
	for i := range n {
		v.analyzeField(lex, i)
	}

	v.decode(lex)
	v.docsDone = true
	return v.Docs
}

func (v *View) analyzeField(lex *lexicon.Lexicon, i int) {
	text := v.Fields[i].Text
	if !v.Fields[i].Plain {
		text = char.Normalize(text)
	}
	n := len(v.Docs)
	v.Docs = slices.Grow(v.Docs, 1)[:n+1]
	d := &v.Docs[n]
	*d = token.Doc{Field: i, Text: text}
	v.Tokens, v.Clauses = v.tokenizer.Analyze(lex, d, v.Tokens, v.Clauses)
}
