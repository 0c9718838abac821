package adapter

import (
	"fmt"
	"strings"

	"github.com/zclconf/go-cty/cty"

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

// MCPSearch reports whether the adapter describes a search over MCP.
func (r *Run) MCPSearch() bool { return r.CheckSearch(contracts.SearchMCP) == nil }

// ListsTools reports whether the adapter describes how the proxy lists its tools.
func (r *Run) ListsTools() bool { return r.adapter.tools != nil }

// ToolsQuestion returns the request for all tools that the proxy holds.
func (r *Run) ToolsQuestion() (Question, error) {
	q, err := r.adapter.tools.fill(r.scope)
	if err != nil {
		err = r.wrap("tools", err)
	}
	return q, err
}

// Tools extracts the tools from the answer to ToolsQuestion.
func (r *Run) Tools(answer Answer) ([]Listed, error) {
	tools, err := r.adapter.tools.listed(answer.scope(r.scope))
	if err != nil {
		return nil, r.wrap("tools", err)
	}
	return tools, nil
}

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

// CheckSearch returns an error if the adapter does not have the search path.
func (r *Run) CheckSearch(path string) error {
	_, err := r.search(path)
	return err
}

// SearchQuestion returns the request for a search with at most limit results.
func (r *Run) SearchQuestion(path, query string, limit int) (Question, error) {
	search, err := r.search(path)
	if err != nil {
		return Question{}, err
	}

	s := r.scope.with(map[string]any{"query": query})
	s.vars = map[string]cty.Value{"limit": cty.NumberIntVal(int64(limit))}
	for name, v := range r.scope.vars {
		s.vars[name] = v
	}

	q, err := search.fill(s)
	if err != nil {
		err = r.wrap(fmt.Sprintf("search %q", path), err)
	}

	return q, err
}

// Hits extracts the results from the answer to SearchQuestion. Its errors are about
// the answer, and are the same for the same answer.
func (r *Run) Hits(path string, answer Answer) (contracts.SearchAnswer, error) {
	search, err := r.search(path)
	if err != nil {
		return contracts.SearchAnswer{}, err
	}
	return search.hits(answer.scope(r.scope))
}
