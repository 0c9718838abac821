package fitness

import (
	"cmp"
	"slices"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/proxy/reference"
)

// maxExplained limits the explained tools that rank before the expected one.
const maxExplained = 3

// feedback explains every query whose best expected tool is not first, in the
// order of the queries.
func (e *Evaluator) feedback(search *reference.Variant, results []result) []contracts.FitnessFeedback {
	var all []contracts.FitnessFeedback
	for _, r := range results {
		expected := expectedTools(r)
		if len(expected) == 0 || expected[0].Rank == 1 {
			continue
		}

		f := contracts.FitnessFeedback{QueryID: r.query.ID, Query: r.query.Query.Query, Expected: expected,
			Before: []contracts.Outranker{}}
		best := e.places[expected[0].ToolID]
		for i, id := range r.ranked[:min(maxExplained, len(r.ranked))] {
			if id == expected[0].ToolID {
				break
			}

			o := contracts.Outranker{ToolID: id, Rank: i + 1, Terms: []contracts.MatchedTerm{}}
			for _, term := range r.query.terms {
				if fields := search.FieldsWith(e.places[id], term); len(fields) > 0 {
					o.Terms = append(o.Terms,
						contracts.MatchedTerm{Term: term, Fields: fields, ExpectedIn: search.FieldsWith(best, term),
							Tools: search.ToolsWith(term)})
				}
			}

			slices.SortStableFunc(o.Terms,
				func(a, b contracts.MatchedTerm) int { return cmp.Compare(a.Tools, b.Tools) })
			f.Before = append(f.Before, o)
		}

		all = append(all, f)
	}

	return all
}

// expectedTools lists the relevant tools of a query, the most relevant first.
// Among equally relevant tools the best ranked comes first, and those not found
// come last.
func expectedTools(r result) []contracts.ExpectedTool {
	var list []contracts.ExpectedTool
	for _, l := range r.query.Labels {
		if l.Relevance > 0 {
			list = append(list, contracts.ExpectedTool{ToolID: l.ToolID, Relevance: l.Relevance,
				Rank: slices.Index(r.ranked, l.ToolID) + 1})
		}
	}

	slices.SortStableFunc(list, func(a, b contracts.ExpectedTool) int {
		return cmp.Or(cmp.Compare(b.Relevance, a.Relevance), cmp.Compare(uint(a.Rank-1), uint(b.Rank-1)),
			cmp.Compare(a.ToolID, b.ToolID))
	})
	return list
}
