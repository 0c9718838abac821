package proxy

import (
	"slices"
	"sync"

	"github.com/blevesearch/bleve/v2/analysis"
)

// FieldsWith are the names of the fields in which a tool, by its place, holds a
// term.
func (w *Variant) FieldsWith(tool int, term string) []string {
	fields := []string{}
	for field, f := range searchFields {
		if w.text(tool, field).terms[term] > 0 {
			fields = append(fields, f.name)
		}
	}
	return fields
}

// ToolsWith counts the tools that hold a term in any field.
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
