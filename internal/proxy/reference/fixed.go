package reference

import (
	"context"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/proxy/embedding"
)

// Index is the reference proxy's search over fixed tools, without servers and
// without quarantine. It is safe for concurrent use.
type Index struct{ index *searchIndex }

// NewIndex indexes tools, whose ids are distinct. With a model, which may be nil,
// the search is a hybrid one.
func NewIndex(ctx context.Context, tools []contracts.Tool, model embedding.Model) (*Index, error) {
	list := records(tools)
	index := newSearchIndex(list, contracts.IndexOptions{})
	if model != nil {
		var err error
		if index.meaning, err = newEmbeddingIndex(ctx, model, list, nil); err != nil {
			return nil, err
		}
	}
	return &Index{index}, nil
}

// records returns the tools of a corpus as if their servers had listed them.
func records(tools []contracts.Tool) []*toolRecord {
	list := make([]*toolRecord, len(tools))
	for i, t := range tools {
		list[i] = &toolRecord{id: t.ToolID, server: t.Server, tool: t.Tool, description: t.Description,
			schema: t.Schema}
	}
	return list
}

// Search returns the ids of at most limit tools, best first.
func (x *Index) Search(ctx context.Context, query string, limit int) ([]contracts.ToolID, error) {
	hits, _, err := x.index.search(ctx, query, limit)
	return ids(hits), err
}

func ids(hits []hit) []contracts.ToolID {
	list := make([]contracts.ToolID, len(hits))
	for i, h := range hits {
		list[i] = h.id
	}
	return list
}
