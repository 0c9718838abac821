package direct

import (
	"cmp"
	"context"
	"slices"
)

// ranker orders tools by a query. Tools that do not match at all may be left
// out. A tool is named by its place in the list that the ranker was made of.
type ranker interface {
	rank(ctx context.Context, query string) ([]ranked, error)
}

type ranked struct {
	tool  int
	score float64
}

// byScore sorts best first; equal scores stand in the order of the tools' ids.
func byScore(list []ranked, tools []tool) {
	slices.SortFunc(list, func(a, b ranked) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(tools[a.tool].id, tools[b.tool].id))
	})
}

// everything is no ranking: all tools, in the order in which the servers list
// them, as a client has them that puts all into the model's context.
type everything []tool

func (e everything) rank(context.Context, string) ([]ranked, error) {
	list := make([]ranked, len(e))
	for i := range e {
		list[i].tool = i
	}
	return list, nil
}
