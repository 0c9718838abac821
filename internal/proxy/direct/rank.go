package direct

import (
	"cmp"
	"context"
	"slices"
)

// ranker orders tools by a query. It may leave out tools that do not match. A tool is
// identified by its index in the list that the ranker was made from.
type ranker interface {
	rank(ctx context.Context, query string) ([]ranked, error)
}

type ranked struct {
	tool  int
	score float64
}

// byScore sorts the best first. Tools with equal scores are sorted by id.
func byScore(list []ranked, tools []tool) {
	slices.SortFunc(list, func(a, b ranked) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(tools[a.tool].id, tools[b.tool].id))
	})
}

// everything does not rank: it returns all tools in the order in which the servers
// list them, like a client that puts all of them into the model's context.
type everything []tool

func (e everything) rank(context.Context, string) ([]ranked, error) {
	list := make([]ranked, len(e))
	for i := range e {
		list[i].tool = i
	}
	return list, nil
}
