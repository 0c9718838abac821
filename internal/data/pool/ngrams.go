package pool

import (
	"context"
	"math"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/base/tokenize"
)

// The lengths of the runs of characters that ngrams compares.
const (
	shortestGram = 3
	longestGram  = 5
)

// ngrams ranks tools by the cosine of their runs of characters and those of the
// query, within words and with a mark at both ends of each (McNamee and
// Mayfield, "Character N-Gram Tokenization for European Language Text
// Retrieval", 2004). A misspelt word shares most of its runs with the right one.
// A run's weight is (1 + ln of its frequency) times ln(1 + N/n), for N tools of
// which n have it.
type ngrams struct {
	ranking
	postings map[string][]weighted
	norms    []float64
}

// weighted is a tool with the weight of a run of characters in it.
type weighted struct {
	tool   int
	weight float64
}

func newNgrams(tools []contracts.Tool) *ngrams {
	n := &ngrams{ranking: newRanking(tools), postings: map[string][]weighted{}, norms: make([]float64, len(tools))}
	for i := range tools {
		for gram, count := range grams(tools[i].Tool + "\n" + everything(&tools[i])) {
			n.postings[gram] = append(n.postings[gram], weighted{i, 1 + math.Log(float64(count))})
		}
	}

	for gram, list := range n.postings {
		idf := n.idf(gram)
		for _, p := range list {
			n.norms[p.tool] += float64(p.weight * idf * p.weight * idf)
		}
	}

	return n
}

func (n *ngrams) idf(gram string) float64 {
	return math.Log(1 + float64(len(n.ids))/float64(len(n.postings[gram])))
}

// Search implements searcher.
func (n *ngrams) Search(_ context.Context, query string, limit int) ([]contracts.ToolID, error) {
	scores := make([]float64, len(n.ids))
	for _, gram := range sortedKeys(grams(query)) { // a fixed order, for reproducible sums
		idf := 0.0
		if len(n.postings[gram]) > 0 {
			idf = n.idf(gram)
		}

		for _, p := range n.postings[gram] {
			scores[p.tool] += float64(p.weight * idf * idf)
		}
	}

	for i := range scores {
		if n.norms[i] > 0 {
			scores[i] /= math.Sqrt(n.norms[i])
		}
	}

	return n.best(scores, limit), nil
}

// grams counts the runs of characters in the words of a text.
func grams(text string) map[string]int {
	counts := map[string]int{}
	for _, word := range tokenize.Words(text) {
		marked := []rune("\x00" + word + "\x00")
		for length := shortestGram; length <= longestGram; length++ {
			for from := 0; from+length <= len(marked); from++ {
				counts[string(marked[from:from+length])]++
			}
		}
	}
	return counts
}
