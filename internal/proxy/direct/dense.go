package direct

import (
	"context"
	"fmt"

	"github.com/touchstone-eval/touchstone/internal/proxy/embedding"
)

// dense ranks tools by the cosine similarity of their vectors and the query's.
type dense struct {
	model   embedding.Model
	tools   []tool
	vectors [][]float32
}

// newDense embeds the name and description of each tool as one text.
func newDense(ctx context.Context, model embedding.Model, tools []tool) (*dense, error) {
	texts := make([]string, len(tools))
	for i, t := range tools {
		texts[i] = t.name + ": " + t.description
	}
	vectors, err := model.Embed(ctx, texts)
	if err != nil {
		return nil, err
	}
	return &dense{model, tools, vectors}, nil
}

func (d *dense) rank(ctx context.Context, query string) ([]ranked, error) {
	vectors, err := d.model.Embed(ctx, []string{query})
	if err != nil {
		return nil, err
	}

	list := make([]ranked, len(d.tools))
	for i, v := range d.vectors {
		if len(v) != len(vectors[0]) {
			return nil, fmt.Errorf("the model returned a vector with %d numbers for the query, but one with %d for "+
				"a tool", len(vectors[0]), len(v))
		}

		list[i] = ranked{i, embedding.Cosine(v, vectors[0])}
	}

	byScore(list, d.tools)
	return list, nil
}
