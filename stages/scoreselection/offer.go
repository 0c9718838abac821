package scoreselection

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/proxy/undertest"
	"github.com/touchstone-eval/touchstone/internal/selection"
)

// offerer returns the tools that the model is offered for a case.
type offerer interface {
	// tools fails for this case only, unless the error is an *endedError.
	tools(ctx context.Context, c contracts.SelectionCase) ([]selection.Tool, error)
	describe() contracts.SelectionOffer
	stop()
}

// endedError means that no further case can be answered.
type endedError struct{ error }

func newOfferer(ctx context.Context, opts Options, corpus contracts.Corpus) (offerer, error) {
	switch opts.Offer {
	case contracts.OfferAll:
		if opts.Proxy != "" {
			return nil, errors.New("--proxy is for --offer search: leave it out, or offer what the proxy finds")
		}
		return newEverything(corpus), nil
	case contracts.OfferSearch:
		return newSearch(ctx, opts, corpus)
	}
	return nil, fmt.Errorf("--offer %q is unknown: use %s or %s", opts.Offer, contracts.OfferAll, contracts.OfferSearch)
}

// everything offers all tools of a case's servers, sorted by server and name,
// whatever the order of the corpus.
type everything struct{ all []selection.Tool }

func newEverything(corpus contracts.Corpus) everything {
	var e everything
	for _, t := range corpus.Tools {
		e.all = append(e.all, toolOf(t))
	}
	slices.SortFunc(e.all, func(a, b selection.Tool) int {
		return cmp.Or(cmp.Compare(a.Server, b.Server), cmp.Compare(a.Name, b.Name))
	})
	return e
}

func (e everything) tools(_ context.Context, c contracts.SelectionCase) ([]selection.Tool, error) {
	return ofServers(e.all, c.Servers), nil
}

func (everything) describe() contracts.SelectionOffer {
	return contracts.SelectionOffer{Tools: contracts.OfferAll}
}

func (everything) stop() {}

// ofServers keeps the tools of the named servers, or all if none is named.
func ofServers(tools []selection.Tool, servers []string) []selection.Tool {
	if len(servers) == 0 {
		return tools
	}
	var kept []selection.Tool
	for _, t := range tools {
		if slices.Contains(servers, t.Server) {
			kept = append(kept, t)
		}
	}
	return kept
}

func toolOf(t contracts.Tool) selection.Tool {
	return selection.Tool{ID: t.ToolID, Server: t.Server, Name: t.Tool, Description: t.Description,
		InputSchema: t.Schema, Annotations: t.Annotations}
}

// search offers the results of the proxy's search for a case's query, best
// first. It leaves out tools that are not in the corpus, and repetitions of a
// tool.
type search struct {
	proxy *undertest.Proxy
	known map[contracts.ToolID]selection.Tool
	opts  Options
}

// replaySeed is the order in which the corpus is served. It is the same for all
// repeats, because they measure the model and not the proxy.
const replaySeed = 1

func newSearch(ctx context.Context, opts Options, corpus contracts.Corpus) (*search, error) {
	if opts.Proxy == "" {
		return nil, errors.New("--offer search needs --proxy, the directory that build-proxy wrote")
	}

	if opts.TopK < 1 {
		return nil, fmt.Errorf("--top-k %d is out of range: the search is asked for at least one tool", opts.TopK)
	}

	if opts.Search != contracts.SearchMCP && opts.Search != contracts.SearchREST {
		return nil, fmt.Errorf("--search %q is unknown: use %s or %s", opts.Search, contracts.SearchMCP,
			contracts.SearchREST)
	}

	degrade, err := undertest.ParseDegrade(opts.Degrade)
	if err != nil {
		return nil, err
	}

	if err := undertest.CheckHidden(degrade, corpus); err != nil {
		return nil, err
	}

	s := &search{known: map[contracts.ToolID]selection.Tool{}, opts: opts}
	for _, t := range corpus.Tools {
		s.known[t.ToolID] = toolOf(t)
	}

	s.proxy, err = undertest.Start(ctx, undertest.Options{
		Dir: opts.Proxy, Corpus: corpus, Seed: replaySeed, Index: degrade, SearchPath: opts.Search,
		ReadyTimeout: opts.ReadyTimeout, QueryTimeout: opts.QueryTimeout, Executable: opts.Executable,
		Progress: opts.Progress,
	})
	if err != nil {
		return nil, err
	}

	return s, nil
}

func (s *search) tools(ctx context.Context, c contracts.SelectionCase) ([]selection.Tool, error) {
	answer, err := s.proxy.Search(ctx, c.Query, s.opts.TopK)
	if err != nil {
		grace := time.Duration(0)
		if errors.Is(err, undertest.ErrBroken) {
			grace = time.Second
		}

		if how, ended := s.proxy.Ended(grace); ended {
			return nil, &endedError{s.proxy.WithLog(fmt.Errorf("proxy %q ended during the searches: %s",
				s.proxy.Manifest.Name, how))}
		}

		return nil, fmt.Errorf("search: %w", err)
	}

	var found []selection.Tool
	seen := map[contracts.ToolID]bool{}
	for _, hit := range answer.Tools {
		t, ok := s.known[hit.Name]
		if !ok || seen[hit.Name] || len(found) == s.opts.TopK {
			continue
		}

		seen[hit.Name] = true
		found = append(found, t)
	}

	return ofServers(found, c.Servers), nil
}

func (s *search) describe() contracts.SelectionOffer {
	return contracts.SelectionOffer{
		Tools: contracts.OfferSearch, TopK: s.opts.TopK, SearchPath: s.opts.Search, Degraded: s.opts.Degrade,
		Proxy: s.proxy.Manifest.Name, ProxyIdentity: s.proxy.Manifest.Identity,
	}
}

func (s *search) stop() {
	s.proxy.Stop()
}
