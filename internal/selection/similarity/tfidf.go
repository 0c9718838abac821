package similarity

import (
	"math"
	"slices"

	"github.com/touchstone-eval/touchstone/internal/base/tokenize"
)

// tfidf compares texts by the cosine of their term weights. A term's weight is
// its frequency times ln((1+n)/(1+df)) + 1, for n texts of which df contain the
// term (Salton and Buckley 1988, with the smoothing that most libraries use).
// Stop words do not count. Two texts without a word score 1 if
// they are equal and 0 otherwise.
type tfidf struct {
	texts []string
	terms []string   // sorted
	docs  [][]weight // by term number
}

type weight struct {
	term  int
	value float64
}

func newTFIDF(texts []string) *tfidf {
	t := &tfidf{texts: texts, docs: make([][]weight, len(texts))}
	counts := make([]map[string]int, len(texts))
	df := map[string]int{}
	for i, text := range texts {
		counts[i] = map[string]int{}
		for _, w := range tokenize.ContentWords(text) {
			if counts[i][w]++; counts[i][w] == 1 {
				df[w]++
			}
		}
	}

	for w := range df {
		t.terms = append(t.terms, w)
	}

	slices.Sort(t.terms)
	number := make(map[string]int, len(t.terms))
	for i, w := range t.terms {
		number[w] = i
	}

	for i, count := range counts {
		t.docs[i] = weigh(count, number, func(w string) float64 {
			return math.Log(float64(1+len(texts))/float64(1+df[w])) + 1
		})
	}

	return t
}

// weigh returns the terms of one text with weights of length 1, by term number.
func weigh(count map[string]int, number map[string]int, idf func(string) float64) []weight {
	doc := make([]weight, 0, len(count))
	for w, n := range count {
		doc = append(doc, weight{number[w], float64(n) * idf(w)})
	}

	slices.SortFunc(doc, func(a, b weight) int { return a.term - b.term })
	sum := 0.0 // in the order of the terms, for a reproducible sum
	for _, w := range doc {
		sum += w.value * w.value
	}

	for i := range doc {
		doc[i].value /= math.Sqrt(sum)
	}

	return doc
}

func (t *tfidf) matrix() *Matrix {
	m := newMatrix(len(t.docs))
	postings := make([][]weight, len(t.terms)) // weight.term is the index of the text here
	scores := make([]float64, len(t.docs))
	for i, doc := range t.docs {
		clear(scores[:i])
		for _, w := range doc {
			for _, p := range postings[w.term] {
				scores[p.term] += w.value * p.value
			}

			postings[w.term] = append(postings[w.term], weight{i, w.value})
		}

		row := m.row(i)
		for j := range row {
			row[j] = clamp(scores[j])
			if len(doc) == 0 && t.texts[i] == t.texts[j] {
				row[j] = 1
			}
		}
	}

	return m
}
