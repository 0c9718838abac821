package reference

import (
	"context"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/proxy/embedding"
)

// Index is the reference proxy's search over fixed tools, without servers and
// without quarantine.
type Index struct{ index *searchIndex }

// NewIndex indexes tools, whose ids are distinct. With a model, which may be nil,
// the search is a hybrid one. The caller must call Close.
func NewIndex(ctx context.Context, tools []contracts.Tool, model embedding.Model) (*Index, error) {
	records := make([]*toolRecord, len(tools))
	for i, t := range tools {
		records[i] = &toolRecord{id: t.ToolID, server: t.Server, tool: t.Tool, description: t.Description,
			schema: t.Schema}
	}

	index, err := newSearchIndex(records, contracts.IndexOptions{})
	if err != nil {
		return nil, err
	}

	if model != nil {
		if index.meaning, err = newEmbeddingIndex(ctx, model, records, nil); err != nil {
			index.close()
			return nil, err
		}
	}

	return &Index{index}, nil
}

// Search returns the ids of at most limit tools, best first.
func (x *Index) Search(ctx context.Context, query string, limit int) ([]contracts.ToolID, error) {
	hits, _, err := x.index.search(ctx, query, limit)
	ids := make([]contracts.ToolID, len(hits))
	for i, h := range hits {
		ids[i] = h.id
	}
	return ids, err
}

// Close releases the index.
func (x *Index) Close() { x.index.close() }
