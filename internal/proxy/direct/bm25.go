package direct

import (
	"context"
	"math"

	"github.com/touchstone-eval/touchstone/internal/base/tokenize"
)

// The parameters of BM25, with the defaults of most implementations.
const (
	k1 = 1.2
	b  = 0.75
)

// bm25 is textbook BM25 over names and descriptions, without stemming and stop
// words: what a client can do with tools/list and a page of code. See Robertson and
// Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009. The
// inverse document frequency is ln(1 + (N-n+0.5)/(n+0.5)), which is never negative.
type bm25 struct {
	tools    []tool
	postings map[string][]posting
	lengths  []float64
	average  float64
}

// posting is the number of occurrences of a word in a tool.
type posting struct {
	tool  int
	count float64
}

func newBM25(tools []tool) *bm25 {
	m := &bm25{tools: tools, postings: map[string][]posting{}, lengths: make([]float64, len(tools))}
	for i, t := range tools {
		for _, w := range tokenize.Words(t.name + " " + t.description) {
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
	for _, w := range tokenize.Words(query) {
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
