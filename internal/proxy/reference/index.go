package reference

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/touchstone-eval/touchstone/contracts"
)

// searchFields are the searched fields of a tool, with the weight of a match. A name
// is short and chosen with care, and BM25 already favours a match in a short field.
// Parameters repeat across tools and only support a match.
var searchFields = []struct {
	name  string
	boost float64
}{
	{"name", 1},
	{"description", 1},
	{"server", 0.5},
	{"parameters", 0.5},
}

// descriptionField is the index of the description in searchFields.
const descriptionField = 1

// fieldTexts returns the text of a tool in each of searchFields.
func fieldTexts(t *toolRecord) []string {
	return []string{t.tool, t.description, t.server, SchemaText(t.schema)}
}

// hit is one result of a query.
type hit struct {
	id    contracts.ToolID
	score float64
}

// searchIndex answers queries over a fixed set of tools. A change of the catalogue
// builds a new index. It is safe for concurrent use.
type searchIndex struct {
	words      *Variant
	size       int
	reverseTop bool
	meaning    *embeddingIndex // nil without a model
}

// reversedTop is the number of results that IndexOptions.ReverseTop reverses.
const reversedTop = 10

// indexed returns the tools to index, with the changes that the options request.
func indexed(tools []*toolRecord, opts contracts.IndexOptions) []*toolRecord {
	var kept []*toolRecord
	for _, t := range tools {
		if slices.Contains(opts.Hide, t.id) {
			continue
		}

		if opts.DropDescriptions {
			bare := *t
			bare.description = ""
			t = &bare
		}

		kept = append(kept, t)
	}

	return kept
}

// newSearchIndex indexes tools by their words. The tools must have distinct ids.
func newSearchIndex(tools []*toolRecord, opts contracts.IndexOptions) *searchIndex {
	tools = indexed(tools, opts)
	return &searchIndex{words: newVariants(tools).With(nil), size: len(tools), reverseTop: opts.ReverseTop}
}

// search returns at most limit tools, the best first, and the total number of
// matches. Tools with equal scores are sorted by id. A query without a word to search
// for finds nothing, unless a model finds tools by meaning. It fails only if the model does.
func (s *searchIndex) search(ctx context.Context, text string, limit int) (hits []hit, total int, err error) {
	if s.size == 0 || limit < 1 {
		return nil, 0, nil
	}

	if s.meaning == nil {
		hits, total = s.byWords(text, limit)
	} else {
		hits, total, err = s.byBoth(ctx, text, limit)
	}

	if s.reverseTop {
		slices.Reverse(hits[:min(reversedTop, len(hits))])
	}

	return hits, total, err
}

// byBoth fuses the rankings by words and by meaning. Every tool has a place in
// the second one.
func (s *searchIndex) byBoth(ctx context.Context, text string, limit int) ([]hit, int, error) {
	if strings.TrimSpace(text) == "" {
		return nil, 0, nil
	}
	words, _ := s.byWords(text, fusionDepth)
	closest, err := s.meaning.closest(ctx, text, fusionDepth)
	if err != nil {
		return nil, 0, err
	}
	hits := fuse(words, closest)
	return hits[:min(limit, len(hits))], s.size, nil
}

// byWords ranks tools by BM25.
func (s *searchIndex) byWords(text string, limit int) (hits []hit, total int) {
	hits, total = s.words.find(NewQuestion(text), limit)
	for i := range hits {
		hits[i].score = roundScore(hits[i].score)
	}
	return hits, total
}

// compareHits orders by descending score, then by id.
func compareHits(a, b hit) int {
	return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.id, b.id))
}

// roundScore rounds to six significant decimal digits. The order in which the scores of
// the words are added up changes the last bits of a sum.
func roundScore(x float64) float64 {
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 6, 64), 64)
	if err != nil {
		return x
	}
	return rounded
}
