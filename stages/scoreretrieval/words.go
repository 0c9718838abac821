package scoreretrieval

import (
	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/base/tokenize"
)

// SharedWords returns the largest number of distinct content words that a query
// has in common with the name and description of one of its best tools, those
// with its highest grade. It is 0 for a query without a right tool.
func SharedWords(q contracts.Query, tools map[contracts.ToolID]contracts.Tool) int {
	asked := make(map[string]bool)
	for _, w := range tokenize.ContentWords(q.Query) {
		asked[w] = true
	}

	best := 1
	for _, l := range q.Labels {
		best = max(best, l.Relevance)
	}

	most := 0
	for _, l := range q.Labels {
		tool, known := tools[l.ToolID]
		if l.Relevance < best || !known {
			continue
		}

		shared := make(map[string]bool)
		for _, w := range tokenize.ContentWords(tool.Tool + " " + tool.Description) {
			if asked[w] {
				shared[w] = true
			}
		}

		most = max(most, len(shared))
	}

	return most
}
