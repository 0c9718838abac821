package reference

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/index/scorch"
	"github.com/blevesearch/bleve/v2/index/upsidedown/store/gtreap"
	"github.com/blevesearch/bleve/v2/mapping"
	"github.com/blevesearch/bleve/v2/search/query"
	index "github.com/blevesearch/bleve_index_api"

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

// A document is a tool as indexed by bleve.
type document struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Server      string `json:"server"`
	Parameters  string `json:"parameters"`
}

// hit is one result of a query.
type hit struct {
	id    contracts.ToolID
	score float64
}

// searchIndex answers queries over a fixed set of tools.
//
// It is built in one batch and never modified: bleve derives the average field
// length that BM25 needs from the segments of the index, and only an index with one
// segment gives figures that do not depend on how it was built. A change of the
// catalogue builds a new index.
type searchIndex struct {
	bleve      bleve.Index
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
func newSearchIndex(tools []*toolRecord, opts contracts.IndexOptions) (*searchIndex, error) {
	idx, err := bleve.NewUsing("", indexMapping(), scorch.Name, gtreap.Name, nil)
	if err != nil {
		return nil, fmt.Errorf("create the search index: %w", err)
	}

	tools = indexed(tools, opts)
	s := &searchIndex{bleve: idx, reverseTop: opts.ReverseTop}
	batch := idx.NewBatch()
	for _, t := range tools {
		doc := document{Name: t.tool, Description: t.description, Server: t.server, Parameters: SchemaText(t.schema)}
		if err := batch.Index(t.id, doc); err != nil {
			s.close()
			return nil, fmt.Errorf("index tool %q: %w", t.id, err)
		}

		s.size++
	}

	if s.size == 0 {
		return s, nil
	}

	if err := idx.Batch(batch); err != nil {
		s.close()
		return nil, fmt.Errorf("index %d tools: %w", s.size, err)
	}

	return s, nil
}

func indexMapping() *mapping.IndexMappingImpl {
	doc := mapping.NewDocumentStaticMapping()
	for _, f := range searchFields {
		text := mapping.NewTextFieldMapping()
		text.Analyzer = toolText
		text.Store = false
		text.IncludeTermVectors = false
		text.IncludeInAll = false
		text.DocValues = false
		doc.AddFieldMappingsAt(f.name, text)
	}

	m := mapping.NewIndexMapping()
	m.DefaultAnalyzer = toolText
	m.DefaultMapping = doc
	m.ScoringModel = index.BM25Scoring
	return m
}

// search returns at most limit tools, the best first, and the total number of
// matches. Tools with equal scores are sorted by id. No query may fail: a query
// without a word to search for finds nothing, unless a model finds tools by meaning.
func (s *searchIndex) search(ctx context.Context, text string, limit int) (hits []hit, total int, err error) {
	if s.size == 0 || limit < 1 {
		return nil, 0, nil
	}

	if s.meaning == nil {
		hits, total, err = s.byWords(ctx, text, limit)
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
	words, _, err := s.byWords(ctx, text, fusionDepth)
	if err != nil || strings.TrimSpace(text) == "" {
		return nil, 0, err
	}
	closest, err := s.meaning.closest(ctx, text, fusionDepth)
	if err != nil {
		return nil, 0, err
	}
	hits := fuse(words, closest)
	return hits[:min(limit, len(hits))], s.size, nil
}

// byWords ranks tools by BM25.
func (s *searchIndex) byWords(ctx context.Context, text string, limit int) (hits []hit, total int, err error) {
	fields := make([]query.Query, len(searchFields))
	for i, f := range searchFields {
		match := bleve.NewMatchQuery(text)
		match.SetField(f.name)
		match.SetBoost(f.boost)
		fields[i] = match
	}

	// bleve adds up the terms of a long query in the order of its internal
	// document numbers, which differ between two builds of one index. The last
	// bits of a score are therefore noise. So scores are rounded, tools that may
	// tie across the limit are fetched too, and the order is computed here.
	req := bleve.NewSearchRequestOptions(bleve.NewDisjunctionQuery(fields...), min(limit+extraHits, s.size), 0, false)
	req.SortBy([]string{"-_score", "_id"})
	res, err := s.bleve.SearchInContext(ctx, req)
	if err != nil {
		return nil, 0, fmt.Errorf("search: %w", err)
	}

	hits = make([]hit, len(res.Hits))
	for i, h := range res.Hits {
		hits[i] = hit{h.ID, roundScore(h.Score)}
	}

	slices.SortFunc(hits, compareHits)
	return hits[:min(limit, len(hits))], int(res.Total), nil
}

// extraHits is the number of tools fetched beyond the limit.
const extraHits = 20

// compareHits orders by descending score, then by id.
func compareHits(a, b hit) int {
	return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.id, b.id))
}

// roundScore rounds to six significant decimal digits.
func roundScore(x float64) float64 {
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 6, 64), 64)
	if err != nil {
		return x
	}
	return rounded
}

func (s *searchIndex) close() { _ = s.bleve.Close() }
