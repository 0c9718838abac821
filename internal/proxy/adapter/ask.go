package adapter

import (
	"fmt"
	"strings"

	"github.com/touchstone-eval/touchstone/contracts"
)

// ReadyQuestion returns the request that finds out whether everything is indexed.
// ok is false if no request is needed.
func (r *Run) ReadyQuestion() (q Question, ok bool, err error) {
	if r.adapter.ready.request == nil {
		return q, false, nil
	}
	if q, err = r.adapter.ready.request.fill(r.scope); err != nil {
		err = r.wrap("ready", err)
	}
	return q, true, err
}

// Ready evaluates the answer to ReadyQuestion. If the proxy is not ready, progress
// describes how far it is.
func (r *Run) Ready(answer Answer) (done bool, progress string, err error) {
	s := answer.scope(r.scope)
	if b := r.adapter.ready; given(b.Done) {
		v, err := s.native(b.Done, "done")
		if err != nil {
			return false, "", r.wrap("ready", err)
		}

		var isBool bool
		if done, isBool = v.(bool); !isBool {
			return false, "", r.wrap("ready", fmt.Errorf("done is %s but must be true or false", kind(v)))
		}
	} else {
		done = true // it answered
	}

	progress = "it does not report that it is ready"
	if given(r.adapter.ready.Progress) {
		if text, err := s.text(r.adapter.ready.Progress, "progress"); err == nil {
			progress = text
		}
	}

	return done, progress, nil
}

// FindEach reports whether the proxy counts as ready only when a search for the
// name of each tool finds it.
func (r *Run) FindEach() bool { return r.adapter.ready.FindEach }

// SearchPaths lists the search paths, in the adapter's order.
func (a *Adapter) SearchPaths() []string {
	var paths []string
	for _, s := range a.Search {
		paths = append(paths, s.Path)
	}
	return paths
}

func (r *Run) search(path string) (*Search, error) {
	for i := range r.adapter.Search {
		if r.adapter.Search[i].Path == path {
			return &r.adapter.Search[i], nil
		}
	}
	return nil, fmt.Errorf("adapter %s has no search %q: it has %s", r.adapter.Name, path,
		strings.Join(r.adapter.SearchPaths(), " and "))
}

// HasReady reports whether the adapter describes when the proxy is ready.
func (a *Adapter) HasReady() bool { return a.ready.request != nil || a.ready.FindEach }

// CheckSearch returns an error if the adapter does not have the search path.
func (r *Run) CheckSearch(path string) error {
	_, err := r.search(path)
	return err
}

// Asked is a search: a query for at most limit results on a search path.
type Asked struct {
	Path, Query string
	Limit       int
}

// scope returns the names for the expressions of the search.
func (a Asked) scope(s scope) scope {
	return s.with(map[string]any{"query": a.Query, "limit": float64(a.Limit)})
}

// Limited returns the search with the most results that the proxy returns, if that is
// fewer.
func (r *Run) Limited(a Asked) Asked {
	if search, err := r.search(a.Path); err == nil && search.maxLimit > 0 {
		a.Limit = min(a.Limit, search.maxLimit)
	}
	return a
}

// SearchQuestion returns the request for a search.
func (r *Run) SearchQuestion(a Asked) (Question, error) {
	search, err := r.search(a.Path)
	if err != nil {
		return Question{}, err
	}

	q, err := search.fill(a.scope(r.scope))
	if err != nil {
		err = r.wrap(fmt.Sprintf("search %q", a.Path), err)
	}

	return q, err
}

// DescribeQuestion returns the request for the definition of a tool in the answer to
// SearchQuestion. ok is false if the answer has all that a call of the tool needs.
func (r *Run) DescribeQuestion(a Asked, answer Answer, id contracts.ToolID) (q Question, ok bool, err error) {
	search, err := r.search(a.Path)
	if err != nil || search.describe == nil {
		return q, false, err
	}

	defer func() {
		if err != nil {
			err = r.wrap(fmt.Sprintf("search %q, describe", a.Path), err)
		}
	}()

	s := answer.scope(a.scope(r.scope))
	items, err := search.items(s)
	if err != nil {
		return q, false, err
	}

	for _, item := range items {
		one := s.with(map[string]any{"item": item})
		if found, _, err := search.id(one); err != nil || found != id {
			continue
		}

		if given(search.describe.when) {
			needed, err := one.native(search.describe.when, "when")
			if err != nil {
				return q, false, err
			}

			if yes, isBool := needed.(bool); !isBool {
				return q, false, fmt.Errorf("when is %s but must be true or false", kind(needed))
			} else if !yes {
				return q, false, nil
			}
		}

		q, err = search.describe.fill(one)
		return q, err == nil, err
	}

	return q, false, fmt.Errorf("the answer has no tool %q", id)
}

// Hits extracts the results from the answer to SearchQuestion. Its errors are about
// the answer, and are the same for the same answer.
func (r *Run) Hits(a Asked, answer Answer) (contracts.SearchAnswer, error) {
	search, err := r.search(a.Path)
	if err != nil {
		return contracts.SearchAnswer{}, err
	}
	return search.hits(answer.scope(a.scope(r.scope)))
}
