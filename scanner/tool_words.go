package scanner

import (
	"strings"

	"github.com/touchstone-eval/touchstone/scanner/internal/char"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/concept"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/sense"
)

func (v *view) maskOf(i int) (c concept.Set) {
	for k := v.docs[i].sen0; k < v.docs[i].sen1; k++ {
		c |= v.clauses[k].mask
	}
	return c
}

// says looks for words that begin with one of the stems in the name and the
// description.
func (v *view) says(stems ...string) bool {
	for i := range v.docs {
		d := &v.docs[i]
		if k := v.fields[d.field].kind; k > kindDescription || v.fields[d.field].layer != "" {
			continue
		}
		toks := v.tokens[d.tok0:d.tok1]
		for k := range toks {
			t := &toks[k]
			for _, s := range stems {
				if t.first == s[0] && char.HasPrefixFold(d.text[t.start:t.end], s) {
					return true
				}
			}
		}
	}
	return false
}

// word is a token's text in lower case.
func (v *view) word(d *doc, t token) string { return string(v.lower(d, t)) }

// meaning joins what the words of one text mean.
func (v *view) meaning(i int) (c concept.Set, s sense.Set) {
	for _, t := range v.tokens[v.docs[i].tok0:v.docs[i].tok1] {
		c |= t.c
		s |= t.s
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
		if v.clauses[i].mask.Has(c) {
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
func (v *view) sentenceAt(d *doc, at int) *sentence {
	for s := d.sen0; s < d.sen1; s++ {
		if int(v.clauses[s].end) > at {
			return &v.clauses[s]
		}
	}
	return nil
}
