package reference

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/proxy/embedding"
)

// Reciprocal rank fusion (Cormack, Clarke and Buettcher, "Reciprocal Rank Fusion
// outperforms Condorcet and individual Rank Learning Methods", SIGIR 2009) adds
// up, for each tool, weight/(fusionConstant + rank) over the two rankings. The
// constant and the weight were chosen on datasets/golden_v1.json; see
// docs/decisions/2026-11-22-sentence-vectors.md.
const (
	fusionConstant = 20
	wordsWeight    = 1.0
	meaningWeight  = 0.5
	// fusionDepth is the number of tools of each ranking that are fused. It
	// does not depend on the requested number, so that a short answer is a
	// prefix of a long one.
	fusionDepth = maxLimit
)

// embeddingIndex ranks tools by the similarity of their meaning to a query.
type embeddingIndex struct {
	model   embedding.Model
	ids     []contracts.ToolID
	vectors [][]float32
	known   map[string][]float32 // vectors by text, reused for the next index
}

// newEmbeddingIndex computes the vectors of tools. It reuses the vectors of texts that
// before, which may be nil, already has.
func newEmbeddingIndex(ctx context.Context, model embedding.Model, tools []*toolRecord,
	before *embeddingIndex) (*embeddingIndex, error) {
	m := &embeddingIndex{model: model, known: map[string][]float32{}}
	var missing []string
	for _, t := range tools {
		text := meaningText(t)
		m.ids = append(m.ids, t.id)
		if _, seen := m.known[text]; seen {
			continue
		}

		var v []float32
		if before != nil {
			v = before.known[text]
		}

		if v == nil {
			missing = append(missing, text)
		}

		m.known[text] = v
	}

	vectors, err := model.Embed(ctx, missing)
	if err != nil {
		return nil, fmt.Errorf("compute the vectors of %d tools: %w", len(missing), err)
	}

	for i, text := range missing {
		m.known[text] = vectors[i]
	}

	for _, t := range tools {
		m.vectors = append(m.vectors, m.known[meaningText(t)])
	}

	return m, nil
}

// meaningText is the text of a tool that is embedded: its description, because
// BM25 finds the words of its name. If there is no description, it is those
// words.
func meaningText(t *toolRecord) string {
	if text := strings.TrimSpace(t.description); text != "" {
		return text
	}
	return strings.Join(words(t.tool), " ")
}

// closest returns at most limit tools, the most similar first. Equal scores are
// sorted by id.
func (m *embeddingIndex) closest(ctx context.Context, text string, limit int) ([]hit, error) {
	query, err := m.model.Embed(ctx, []string{text})
	if err != nil {
		return nil, fmt.Errorf("compute the vector of the query: %w", err)
	}

	hits := make([]hit, len(m.ids))
	for i, v := range m.vectors {
		if len(v) != len(query[0]) {
			return nil, fmt.Errorf("the model returned a vector of %d numbers for the query, but of %d for a tool",
				len(query[0]), len(v))
		}

		hits[i] = hit{m.ids[i], roundScore(embedding.Cosine(query[0], v))}
	}

	slices.SortFunc(hits, compareHits)
	return hits[:min(limit, len(hits))], nil
}

// fuse combines two rankings, best first, into one.
func fuse(words, meaning []hit) []hit {
	scores := map[contracts.ToolID]float64{}
	for i, h := range words {
		scores[h.id] += wordsWeight / float64(fusionConstant+i+1)
	}

	for i, h := range meaning {
		scores[h.id] += meaningWeight / float64(fusionConstant+i+1)
	}

	fused := make([]hit, 0, len(scores))
	for id, score := range scores {
		fused = append(fused, hit{id, roundScore(score)})
	}

	slices.SortFunc(fused, compareHits)
	return fused
}
