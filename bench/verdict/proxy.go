package main

import (
	"math/rand/v2"
	"slices"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/metrics"
)

// query is a query with the ranks of its right tools in the baseline.
type query struct {
	hits       []metrics.Hit
	relevances []int
}

func newQuery(q contracts.Query, ranked []contracts.ToolID) query {
	var made query
	judged := make(map[string]int)
	for _, l := range q.Labels {
		judged[l.ToolID] = l.Relevance
		made.relevances = append(made.relevances, l.Relevance)
	}

	for i, tool := range ranked {
		if rel, ok := judged[tool]; ok {
			made.hits = append(made.hits, metrics.Hit{Rank: i + 1, Relevance: rel})
		}
	}

	return made
}

// values computes the named metrics after moving every right tool by so many
// ranks: down if steps is positive. A tool that leaves the first ten is lost.
func (q query) values(steps int, names []string) []float64 {
	var hits []metrics.Hit
	for _, h := range q.hits {
		h.Rank = max(1, h.Rank+steps)
		for slices.ContainsFunc(hits, func(other metrics.Hit) bool { return other.Rank == h.Rank }) {
			h.Rank++
		}

		if h.Rank <= 10 {
			hits = append(hits, h)
		}
	}

	topic := metrics.TopicOf(hits, q.relevances, 1)
	list := make([]float64, len(names))
	for m, name := range names {
		declared, _ := metrics.RankingByName(name)
		list[m] = declared.Compute(topic)
	}

	return list
}

// step draws by how many ranks a right tool moves: 1 with the chance of a half,
// 2 with that of a quarter, and so on.
func step(r *rand.Rand) int {
	steps := 1
	for r.IntN(2) == 0 && steps < 10 {
		steps++
	}
	return steps
}
