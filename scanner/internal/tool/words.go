package tool

import (
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/scanner/internal/char"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/concept"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/sense"
	"github.com/touchstone-eval/touchstone/scanner/internal/token"
)

func (v *View) MeansOf(i int) (c concept.Set) {
	for k := v.Docs[i].Sen0; k < v.Docs[i].Sen1; k++ {
		c |= v.Clauses[k].Means
	}
	return c
}

// Says looks for words that begin with one of the stems in the name and the
// description.
func (v *View) Says(stems ...string) bool {
	for i := range v.Docs {
		d := &v.Docs[i]
		if k := v.Fields[d.Field].Kind; k > KindDescription || v.Fields[d.Field].Layer != "" {
			continue
		}

		toks := v.Tokens[d.Tok0:d.Tok1]
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

// Word is a token's text in lower case.
func (v *View) Word(d *token.Doc, t token.Token) string { return string(v.Lower(d, t)) }

// MeaningOf combines the meanings of the words of one text.
func (v *View) MeaningOf(i int) (c concept.Set, s sense.Set) {
	for _, t := range v.Tokens[v.Docs[i].Tok0:v.Docs[i].Tok1] {
		c |= t.Means
		s |= t.Senses
	}
	return c, s
}

func (v *View) Means() (c concept.Set) {
	for i := range v.Analyze() {
		c |= v.MeansOf(i)
	}
	return c
}

func (v *View) Contains(text string) bool {
	for i := range v.Fields {
		if strings.Contains(v.Fields[i].Text, text) {
			return true
		}
	}
	return false
}

// SentenceAt finds the sentence that contains an offset.
func (v *View) SentenceAt(d *token.Doc, at int) *token.Sentence {
	sentences := v.Clauses[d.Sen0:d.Sen1]
	k, _ := slices.BinarySearchFunc(sentences, at+1, func(s token.Sentence, end int) int { return int(s.End) - end })
	if k == len(sentences) {
		return nil
	}
	return &sentences[k]
}
