package fitness

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

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
			Before: []contracts.Outranker{}, Missing: []string{}}
		best := e.places[expected[0].ToolID]
		for _, term := range r.query.terms {
			if len(search.FieldsWith(best, term)) == 0 {
				f.Missing = append(f.Missing, term)
			}
		}

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

		f.Text = sentences(f, r.failed)
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

// sentences says in words what the feedback says. failed is why the search has
// no answer.
func sentences(f contracts.FitnessFeedback, failed string) string {
	best := f.Expected[0].ToolID
	var text strings.Builder
	fmt.Fprintf(&text, "Query: %s\nThe tool that should rank first is %s.", f.Query, best)
	switch {
	case failed != "":
		fmt.Fprintf(&text, " The search failed: %s.", failed)
	case f.Expected[0].Rank == 0:
		fmt.Fprintf(&text, " It is not among the first %d.", depth)
	default:
		fmt.Fprintf(&text, " It ranks %d.", f.Expected[0].Rank)
	}

	for _, also := range f.Expected[1:] {
		place := fmt.Sprintf("ranks %d", also.Rank)
		if also.Rank == 0 {
			place = fmt.Sprintf("is not among the first %d", depth)
		}
		fmt.Fprintf(&text, "\n%s also serves the query and %s.", also.ToolID, place)
	}

	for _, o := range f.Before {
		fmt.Fprintf(&text, "\n%s ranks %d", o.ToolID, o.Rank)
		if len(o.Terms) == 0 {
			text.WriteString(" and has no word of the query.")
			continue
		}

		text.WriteString(" and has these words of the query:")
		for i, t := range o.Terms {
			if i > 0 {
				text.WriteString(";")
			}

			other := best + " lacks it"
			if len(t.ExpectedIn) > 0 {
				other = best + " has it in its " + strings.Join(t.ExpectedIn, ", ")
			}
			fmt.Fprintf(&text, " %q in its %s (%s)", t.Term, strings.Join(t.Fields, ", "), other)
		}

		text.WriteString(".")
	}

	if len(f.Missing) > 0 {
		fmt.Fprintf(&text, "\nWords of the query, as stems, that %s lacks: %s.", best, strings.Join(f.Missing, ", "))
	}

	return text.String()
}
