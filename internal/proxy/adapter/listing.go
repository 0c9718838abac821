package adapter

import (
	"fmt"

	"github.com/touchstone-eval/touchstone/contracts"
)

// maxPages is the number of pages of one list after which the list counts as endless.
const maxPages = 1000

// Lists reports whether the adapter describes how the proxy lists its tools.
func (a *Adapter) Lists() bool { return a.tools != nil }

// Listing asks for all tools that the proxy holds, one request at a time:
//
//	for q, ok, err := l.Question(); ok; q, ok, err = l.Question() {
//		... l.Add(answer)
//	}
//
// A list can be several requests: one for each value of for_each, and one for each
// page.
type Listing struct {
	run    *Run
	each   []any // the values of for_each; one null value without it
	at     int   // in each
	cursor any   // of the page to ask for; nil for the first
	pages  int   // asked for at each[at]
	seen   map[contracts.ToolID]int
	tools  []Listed
	full   bool
}

// Listing starts a listing.
func (r *Run) Listing() (*Listing, error) {
	l := &Listing{run: r, each: []any{nil}, seen: map[contracts.ToolID]int{}}
	if !given(r.adapter.tools.forEach) {
		return l, nil
	}

	v, err := r.scope.native(r.adapter.tools.forEach, "for_each")
	if err != nil {
		return nil, r.wrap("tools", err)
	}

	var ok bool
	if l.each, ok = v.([]any); !ok {
		return nil, r.wrap("tools", fmt.Errorf("for_each is %s but must be a list", kind(v)))
	}

	return l, nil
}

// scope returns the names for the expressions of the current request.
func (l *Listing) scope() scope {
	return l.run.scope.with(map[string]any{"each": l.each[l.at], "cursor": l.cursor})
}

// Question returns the next request. ok is false if there is none.
func (l *Listing) Question() (q Question, ok bool, err error) {
	if l.at == len(l.each) {
		return q, false, nil
	}
	if q, err = l.run.adapter.tools.fill(l.scope()); err != nil {
		err = l.run.wrap("tools", err)
	}
	return q, true, err
}

// Add adds the tools of the answer to the last Question. Several requests may list one
// tool, such as several searches, and it counts once. A tool that one request lists
// twice is kept twice, so that the comparison with the corpus shows it.
func (l *Listing) Add(answer Answer) error {
	block := l.run.adapter.tools
	s := answer.scope(l.scope())
	page, err := block.listed(s)
	if err != nil {
		return l.run.wrap("tools", err)
	}

	request := l.at*maxPages + l.pages + 1
	for _, t := range page {
		if earlier := l.seen[t.ID]; earlier != 0 && earlier != request {
			continue
		}

		l.seen[t.ID] = request
		l.tools = append(l.tools, t)
	}

	l.full = l.full || block.maxItems > 0 && len(page) >= block.maxItems
	l.pages++
	previous := l.cursor
	l.cursor = nil
	if given(block.next) {
		if l.cursor, err = s.native(block.next, "next"); err != nil {
			return l.run.wrap("tools", err)
		}
	}

	switch l.cursor.(type) {
	case nil, string, float64, bool:
	default:
		return l.run.wrap("tools", fmt.Errorf("next is %s but must be a string or a number", kind(l.cursor)))
	}

	switch {
	case l.cursor == nil || l.cursor == "" || l.cursor == false:
		l.at, l.cursor, l.pages = l.at+1, nil, 0
	case l.cursor == previous || l.pages == maxPages:
		return l.run.wrap("tools", fmt.Errorf("the list is endless: next is %v after %d pages", l.cursor, l.pages))
	}

	return nil
}

// Tools returns what the requests so far have listed. If partial is true, an answer
// was as long as the proxy allows, so there may be more tools than it lists.
func (l *Listing) Tools() (tools []Listed, partial bool) { return l.tools, l.full }
