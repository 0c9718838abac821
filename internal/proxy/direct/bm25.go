package direct

import (
	"context"
	"math"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"

	"github.com/touchstone-eval/touchstone/internal/base/tokenize"
	"github.com/touchstone-eval/touchstone/internal/proxy/reference"
)

// The parameters of BM25, with the defaults of most implementations.
const (
	k1 = 1.2
	b  = 0.75
)

// bm25 is textbook BM25: what a client can do with tools/list and a page of code. See Robertson and
// Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009. The
// inverse document frequency is ln(1 + (N-n+0.5)/(n+0.5)), which is never negative.
type bm25 struct {
	tools    []tool
	fields   fields
	postings map[string][]posting
	lengths  []float64
	average  float64
}

// posting is the number of occurrences of a word in a tool.
type posting struct {
	tool  int
	count float64
}

// fields chooses what BM25 compares: the text of a tool, and how it and a query
// are split into words.
type fields struct {
	text  func(tool) string
	words func(string) []string
}

// plainFields are names and descriptions, without stemming and stop words.
var plainFields = fields{
	text:  func(t tool) string { return t.name + " " + t.description },
	words: tokenize.Words,
}

// allFields are names, descriptions and the words of the input schema, without
// English stop words and stemmed by Snowball's algorithm for English.
var allFields = fields{
	text: func(t tool) string {
		return t.name + " " + t.description + " " + reference.SchemaText(t.schema)
	},
	words: func(text string) []string {
		list := tokenize.ContentWords(text)
		for i, w := range list {
			env := snowballstem.NewEnv(w)
			english.Stem(env)
			list[i] = env.Current()
		}

		return list
	},
}

func newBM25(tools []tool, f fields) *bm25 {
	m := &bm25{tools: tools, fields: f, postings: map[string][]posting{}, lengths: make([]float64, len(tools))}
	for i, t := range tools {
		for _, w := range f.words(f.text(t)) {
			list := m.postings[w]
			if n := len(list); n > 0 && list[n-1].tool == i {
				list[n-1].count++
			} else {
				m.postings[w] = append(list, posting{i, 1})
			}

			m.lengths[i]++
		}

		m.average += m.lengths[i] / float64(len(tools))
	}

	return m
}

func (m *bm25) rank(_ context.Context, query string) ([]ranked, error) {
	scores := make([]float64, len(m.tools))
	for _, w := range m.fields.words(query) {
		list := m.postings[w]
		n := float64(len(list))
		idf := math.Log(1 + (float64(len(m.tools))-n+0.5)/(n+0.5))
		for _, p := range list {
			norm := k1 * (1 - b + b*m.lengths[p.tool]/m.average)
			scores[p.tool] += float64(idf * p.count * (k1 + 1) / (p.count + norm))
		}
	}

	var list []ranked
	for i, s := range scores {
		if s > 0 {
			list = append(list, ranked{i, s})
		}
	}

	byScore(list, m.tools)
	return list, nil
}
