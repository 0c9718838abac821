package fitness

import (
	"cmp"
	"slices"
	"sync"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/proxy"
)

// mostBefore is how many tools before the expected one are explained.
const mostBefore = 3

// toolTerms are the terms of a tool, by field.
type toolTerms map[string][]string

func (t toolTerms) fields(term string) []string {
	fields := []string{}
	for _, field := range proxy.FieldNames() {
		if _, holds := slices.BinarySearch(t[field], term); holds {
			fields = append(fields, field)
		}
	}
	return fields
}

// termCache keeps the terms of descriptions, since most candidates change few
// of them. It holds at most mostKept.
type termCache struct {
	mu    sync.Mutex
	terms map[termKey]toolTerms
}

type termKey struct {
	id          contracts.ToolID
	description string
}

const mostKept = 100_000

func (c *termCache) of(t contracts.Tool) toolTerms {
	key := termKey{t.ToolID, t.Description}
	c.mu.Lock()
	known, ok := c.terms[key]
	c.mu.Unlock()
	if ok {
		return known
	}
	made := toolTerms(proxy.FieldTerms(t))
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.terms == nil || len(c.terms) >= mostKept {
		c.terms = map[termKey]toolTerms{}
	}
	c.terms[key] = made
	return made
}

// feedback explains every query whose best expected tool is not first, in the
// order of the queries.
func (e *Evaluator) feedback(tools []contracts.Tool, results []result) []contracts.FitnessFeedback {
	terms := make([]toolTerms, len(tools))
	holders := map[string]int{}
	for i, t := range tools {
		terms[i] = e.terms.of(t)
		seen := map[string]bool{}
		for _, list := range terms[i] {
			for _, term := range list {
				if !seen[term] {
					seen[term] = true
					holders[term]++
				}
			}
		}
	}
	var all []contracts.FitnessFeedback
	for _, r := range results {
		expected := expectedTools(r)
		if len(expected) == 0 || expected[0].Rank == 1 {
			continue
		}
		f := contracts.FitnessFeedback{QueryID: r.query.ID, Query: r.query.Query, Expected: expected, Before: []contracts.Outranker{}}
		best := terms[e.places[expected[0].ToolID]]
		for i, id := range r.ranked[:min(mostBefore, len(r.ranked))] {
			if id == expected[0].ToolID {
				break
			}
			o := contracts.Outranker{ToolID: id, Rank: i + 1, Terms: []contracts.MatchedTerm{}}
			for _, term := range e.queryTerms[r.query.ID] {
				if fields := terms[e.places[id]].fields(term); len(fields) > 0 {
					o.Terms = append(o.Terms, contracts.MatchedTerm{Term: term, Fields: fields, ExpectedIn: best.fields(term), Tools: holders[term]})
				}
			}
			slices.SortStableFunc(o.Terms, func(a, b contracts.MatchedTerm) int { return cmp.Compare(a.Tools, b.Tools) })
			f.Before = append(f.Before, o)
		}
		all = append(all, f)
	}
	return all
}

// expectedTools lists the relevant tools of a query: the most relevant first,
// among equals the one that ranks best, those that were not found last.
func expectedTools(r result) []contracts.ExpectedTool {
	var list []contracts.ExpectedTool
	for _, l := range r.query.Labels {
		if l.Relevance > 0 {
			list = append(list, contracts.ExpectedTool{ToolID: l.ToolID, Relevance: l.Relevance, Rank: slices.Index(r.ranked, l.ToolID) + 1})
		}
	}
	slices.SortStableFunc(list, func(a, b contracts.ExpectedTool) int {
		return cmp.Or(cmp.Compare(b.Relevance, a.Relevance), cmp.Compare(uint(a.Rank-1), uint(b.Rank-1)), cmp.Compare(a.ToolID, b.ToolID))
	})
	return list
}
