package direct

import (
	"cmp"
	"context"
	"slices"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/proxy/embedding"
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

// newRanker makes the ranker of one of Rankings. The model is for RankDense.
func newRanker(ctx context.Context, rank string, tools []tool, model embedding.Model) (ranker, error) {
	switch rank {
	case RankBM25:
		return newBM25(tools, plainFields), nil
	case RankStemmed:
		return newBM25(tools, allFields), nil
	case RankDense:
		return newDense(ctx, model, tools)
	}
	return everything(tools), nil
}

// Ranking ranks fixed tools, without servers.
type Ranking struct {
	tools  []tool
	ranker ranker
}

// NewRanking prepares tools for one of Rankings. The model is for RankDense.
func NewRanking(ctx context.Context, rank string, tools []contracts.Tool, model embedding.Model) (*Ranking, error) {
	list := make([]tool, len(tools))
	for i, t := range tools {
		list[i] = tool{t.ToolID, t.Server, t.Tool, t.Description, t.Schema}
	}
	ranker, err := newRanker(ctx, rank, list, model)
	return &Ranking{list, ranker}, err
}

// Search returns the ids of at most limit tools, best first.
func (r *Ranking) Search(ctx context.Context, query string, limit int) ([]contracts.ToolID, error) {
	list, err := r.ranker.rank(ctx, query)
	if err != nil {
		return nil, err
	}
	ids := make([]contracts.ToolID, 0, limit)
	for _, hit := range list[:min(limit, len(list))] {
		ids = append(ids, r.tools[hit.tool].id)
	}
	return ids, nil
}
