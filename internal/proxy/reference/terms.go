package reference

import (
	"slices"
	"sync"

	"github.com/blevesearch/bleve/v2/analysis"
)

// FieldsWith returns the names of the fields in which a tool contains a term. tool is
// the index of the tool.
func (w *Variant) FieldsWith(tool int, term string) []string {
	fields := []string{}
	for field, f := range searchFields {
		if w.text(tool, field).terms[term] > 0 {
			fields = append(fields, f.name)
		}
	}
	return fields
}

// ToolsWith returns the number of tools that contain a term in any field.
func (w *Variant) ToolsWith(term string) int {
	if n, known := w.toolsWith[term]; known {
		return n
	}
	tools := map[int]bool{}
	for field := range searchFields {
		w.postings(field, term, func(p posting) { tools[p.tool] = true })
	}
	w.toolsWith[term] = len(tools)
	return len(tools)
}

// Terms returns the distinct terms that a text is searched or indexed by, sorted:
// lower-case words, stemmed, without requestWords.
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
