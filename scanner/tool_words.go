package scanner

import (
	"strings"

	"github.com/touchstone-eval/touchstone/scanner/internal/char"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/concept"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/sense"
	"github.com/touchstone-eval/touchstone/scanner/internal/token"
)

func (v *view) maskOf(i int) (c concept.Set) {
	for k := v.docs[i].Sen0; k < v.docs[i].Sen1; k++ {
		c |= v.clauses[k].Means
	}
	return c
}

// says looks for words that begin with one of the stems in the name and the
// description.
func (v *view) says(stems ...string) bool {
	for i := range v.docs {
		d := &v.docs[i]
		if k := v.fields[d.Field].kind; k > kindDescription || v.fields[d.Field].layer != "" {
			continue
		}
		toks := v.tokens[d.Tok0:d.Tok1]
		for k := range toks {
			t := &toks[k]
			for _, s := range stems {
				if t.First == s[0] && char.HasPrefixFold(d.Text[t.Start:t.End], s) {
					return true
				}
			}
		}
	}
	return false
}

// word is a token's text in lower case.
func (v *view) word(d *token.Doc, t token.Token) string { return string(v.lower(d, t)) }

// meaning joins what the words of one text mean.
func (v *view) meaning(i int) (c concept.Set, s sense.Set) {
	for _, t := range v.tokens[v.docs[i].Tok0:v.docs[i].Tok1] {
		c |= t.Means
		s |= t.Senses
	}
	return c, s
}

func (v *view) maskAll() (c concept.Set) {
	for i := range v.analyze() {
		c |= v.maskOf(i)
	}
	return c
}

// together says whether one sentence has all of these meanings; for a single
// one that is given.
func (v *view) together(c concept.Set) bool {
	for i := range v.clauses {
		if v.clauses[i].Means.Has(c) {
			return true
		}
	}
	return false
}

func (v *view) contains(text string) bool {
	for i := range v.fields {
		if strings.Contains(v.fields[i].text, text) {
			return true
		}
	}
	return false
}

// sentenceAt finds the sentence around an offset.
func (v *view) sentenceAt(d *token.Doc, at int) *token.Sentence {
	for s := d.Sen0; s < d.Sen1; s++ {
		if int(v.clauses[s].End) > at {
			return &v.clauses[s]
		}
	}
	return nil
}
