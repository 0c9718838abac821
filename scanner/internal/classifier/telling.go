package classifier

import (
	"cmp"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/concept"
	"github.com/touchstone-eval/touchstone/scanner/internal/token"
	"github.com/touchstone-eval/touchstone/scanner/internal/tool"
)

// phrase is a word of a sentence, or two neighbouring ones.
type phrase struct {
	from, to int // tokens
	weight   token.Score
}

// Telling returns the words of clause k of doc d that raise its score most, at most n
// words or pairs of words, in their order. Words whose meaning alone raises it are not
// among them, nor are short words without a meaning by themselves.
func (z *Scorer) Telling(v *tool.View, d *token.Doc, k, n int) []string {
	c := theClassifier()
	z.Stem(v, d)
	s := &v.Clauses[k]
	weight := func(f Feature) token.Score {
		if !c.mayKnow(f) {
			return 0
		}

		return c.weight(f)
	}
	var all []phrase
	for i := s.Tok0; i < s.Tok1; i++ {
		h := z.stems[i-d.Tok0]
		if !hollow(v, d, i) {
			all = append(all, phrase{i, i + 1, weight(famWord.of(h))})
		}

		if i > s.Tok0 {
			all = append(all, phrase{i - 1, i + 1, weight(famPair.of(z.stems[i-1-d.Tok0]*fnvPrime ^ h))})
		}
	}

	slices.SortStableFunc(all, func(a, b phrase) int { return cmp.Compare(b.weight, a.weight) })
	var kept []phrase
	for _, p := range all {
		overlaps := func(o phrase) bool { return p.from < o.to && o.from < p.to }
		if p.weight > 0 && len(kept) < n && !slices.ContainsFunc(kept, overlaps) {
			kept = append(kept, p)
		}
	}

	slices.SortFunc(kept, func(a, b phrase) int { return cmp.Compare(a.from, b.from) })
	words := make([]string, len(kept))
	for i, p := range kept {
		words[i] = strings.Join(strings.Fields(d.Text[v.Tokens[p.from].Start:v.Tokens[p.to-1].End]), " ")
	}

	return words
}

// hollow reports whether the word of a token tells a person nothing by itself, such as "the".
func hollow(v *tool.View, d *token.Doc, i int) bool {
	t := &v.Tokens[i]
	word := d.Text[t.Start:t.End]
	return t.Means == concept.Stop || len(word) < 4 && t.Means == 0 && strings.ToLower(word) == word
}
