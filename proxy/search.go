package proxy

import (
	"context"
	"slices"
	"sync"

	"github.com/blevesearch/bleve/v2/analysis"

	"github.com/touchstone-eval/touchstone/contracts"
)

// Search is the reference proxy's search over fixed tools, without servers and
// quarantine: the same index, the same order. It is safe for use by several
// goroutines at once.
type Search struct{ index *searchIndex }

// NewSearch indexes tools, whose ids are distinct. Close gives the memory
// back.
func NewSearch(tools []contracts.Tool) (*Search, error) {
	records := make([]*toolRecord, len(tools))
	for i, t := range tools {
		records[i] = &toolRecord{id: t.ToolID, server: t.Server, tool: t.Tool, description: t.Description, schema: t.Schema}
	}
	index, err := newSearchIndex(records, contracts.IndexOptions{})
	if err != nil {
		return nil, err
	}
	return &Search{index}, nil
}

// Close ends the search.
func (s *Search) Close() { s.index.close() }

// Find returns the ids of at most limit tools, best first.
func (s *Search) Find(ctx context.Context, text string, limit int) ([]contracts.ToolID, error) {
	hits, _, err := s.index.search(ctx, text, limit)
	if err != nil {
		return nil, err
	}
	ids := make([]contracts.ToolID, len(hits))
	for i, h := range hits {
		ids[i] = h.id
	}
	return ids, nil
}

// FieldNames are the fields of a tool that are searched.
func FieldNames() []string {
	names := make([]string, len(searchFields))
	for i, f := range searchFields {
		names[i] = f.name
	}
	return names
}

// FieldTerms are the distinct terms that the index holds of a tool, sorted, by
// the names of FieldNames.
func FieldTerms(t contracts.Tool) map[string][]string {
	return map[string][]string{
		"name":        Terms(t.Tool),
		"description": Terms(t.Description),
		"server":      Terms(t.Server),
		"parameters":  Terms(schemaText(t.Schema)),
	}
}

// Terms are the distinct terms that a text is searched or indexed by, sorted:
// words in lower case, without those that every request holds, stemmed.
func Terms(text string) []string {
	var terms []string
	for _, token := range analyze().Analyze([]byte(text)) {
		terms = append(terms, string(token.Term))
	}
	slices.Sort(terms)
	return slices.Compact(terms)
}

var analyze = sync.OnceValue(func() analysis.Analyzer {
	return indexMapping().AnalyzerNamed(toolText)
})
