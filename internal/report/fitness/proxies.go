package fitness

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/proxy/undertest"
)

// maxRemembered is the number of candidates whose answers are remembered.
const maxRemembered = 256

// Proxies is a proxy under test, started once for each set of descriptions. The
// proxies of the last candidates stay running, and all answers of many more are
// remembered, so that the next minibatch for a candidate starts no proxy. It is safe
// for concurrent use. The caller must call Close.
type Proxies struct {
	opts ProxyOptions

	mu         sync.Mutex
	changed    *sync.Cond // something in running has changed
	running    []*warmProxy
	remembered map[string]map[string]result // by candidate and query
	order      []string                     // the keys of remembered, the oldest first
	told       bool                         // what cannot be verified
}

// ProxyOptions are the options of NewProxies.
type ProxyOptions struct {
	// Dir is the directory that build-proxy wrote.
	Dir string
	// Search is contracts.SearchMCP or contracts.SearchREST.
	Search string
	// Running is the number of proxies that may run at once, at least 1.
	Running int
	// ReadyTimeout limits the time until everything is indexed, and QueryTimeout
	// the time of one query.
	ReadyTimeout, QueryTimeout time.Duration
	// Progress receives messages about what the proxy is waiting for, and about
	// what could not be verified.
	Progress func(message string)
}

// warmProxy is a proxy with the descriptions of one candidate. Its fields belong to
// the one who made it busy.
type warmProxy struct {
	key   string
	busy  bool
	proxy *undertest.Proxy // nil while it starts
}

// NewProxies returns the proxy in a directory, not started yet.
func NewProxies(opts ProxyOptions) (*Proxies, error) {
	if opts.Running < 1 {
		return nil, fmt.Errorf("cannot keep %d proxies running; give 1 or more", opts.Running)
	}
	p := &Proxies{opts: opts, remembered: map[string]map[string]result{}}
	p.changed = sync.NewCond(&p.mu)
	return p, nil
}

// Close stops all proxies, once no candidate uses them.
func (p *Proxies) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for slices.ContainsFunc(p.running, func(w *warmProxy) bool { return w.busy }) {
		p.changed.Wait()
	}

	for _, w := range p.running {
		w.proxy.Stop()
	}
	p.running = nil
}

// ask sends those queries to the proxy whose answers are not remembered.
func (p *Proxies) ask(ctx context.Context, corpus contracts.Corpus, changes map[int]string,
	queries []question) ([]result, error) {
	key, err := keyOf(changes)
	if err != nil {
		return nil, err
	}

	results, open := p.recall(key, queries)
	if len(open) == 0 {
		return results, nil
	}

	changed := corpus
	changed.Tools = slices.Clone(corpus.Tools)
	known := make(map[contracts.ToolID]bool, len(corpus.Tools))
	for i := range changed.Tools {
		known[changed.Tools[i].ToolID] = true
		if text, ok := changes[i]; ok {
			changed.Tools[i].Description = text
		}
	}

	w, err := p.take(ctx, key, changed)
	if err != nil {
		return nil, err
	}

	// Another request for the same candidate may have asked meanwhile.
	results, open = p.recall(key, queries)
	err = w.askAll(ctx, results, open, func(id contracts.ToolID) bool { return known[id] })
	p.giveBack(w, err != nil)
	if err != nil {
		return nil, err
	}

	p.remember(key, results)
	return results, nil
}

// keyOf identifies a set of changed descriptions.
func keyOf(changes map[int]string) (string, error) {
	text, err := json.Marshal(changes) // sorted by key
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), err
}

// recall returns the results that are remembered, and the places of the others.
func (p *Proxies) recall(key string, queries []question) (results []result, open []int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	results = make([]result, len(queries))
	for i, q := range queries {
		r, ok := p.remembered[key][q.ID]
		if !ok {
			r = result{query: q}
			open = append(open, i)
		}
		results[i] = r
	}
	return results, open
}

func (p *Proxies) remember(key string, results []result) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.remembered[key] == nil {
		p.remembered[key] = map[string]result{}
		p.order = append(p.order, key)
	}

	for _, r := range results {
		if r.failed == "" {
			p.remembered[key][r.query.ID] = r
		}
	}

	if len(p.order) > maxRemembered {
		delete(p.remembered, p.order[0])
		p.order = p.order[1:]
	}
}

// take returns a proxy with the descriptions of a candidate, which no other request
// uses. It starts one if none is running, in place of the one that was not used for
// longest if there are enough.
func (p *Proxies) take(ctx context.Context, key string, corpus contracts.Corpus) (*warmProxy, error) {
	defer context.AfterFunc(ctx, p.changed.Broadcast)()
	p.mu.Lock()
	defer p.mu.Unlock()
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}

		same := slices.IndexFunc(p.running, func(w *warmProxy) bool { return w.key == key })
		idle := slices.IndexFunc(p.running, func(w *warmProxy) bool { return !w.busy })
		switch {
		case same >= 0 && !p.running[same].busy:
			w := p.running[same]
			w.busy = true
			p.running = append(slices.Delete(p.running, same, same+1), w)
			return w, nil
		case same >= 0 || len(p.running) == p.opts.Running && idle < 0:
			p.changed.Wait()
		default:
			w := &warmProxy{key: key, busy: true}
			var old *warmProxy
			if len(p.running) == p.opts.Running {
				old = p.running[idle]
				p.running = slices.Delete(p.running, idle, idle+1)
			}

			p.running = append(p.running, w)
			p.mu.Unlock()
			if old != nil {
				old.proxy.Stop()
			}

			err := p.start(ctx, w, corpus)
			p.mu.Lock()
			if err != nil {
				p.drop(w)
				return nil, err
			}

			return w, nil
		}
	}
}

// drop forgets a proxy that does not run.
func (p *Proxies) drop(w *warmProxy) {
	p.running = slices.DeleteFunc(p.running, func(other *warmProxy) bool { return other == w })
	p.changed.Broadcast()
}

// giveBack lets others use a proxy, or stops it if it is broken.
func (p *Proxies) giveBack(w *warmProxy, broken bool) {
	if broken {
		w.proxy.Stop()
	}

	p.mu.Lock()
	defer p.mu.Unlock()
	if broken {
		p.drop(w)
		return
	}

	w.busy = false
	p.changed.Broadcast()
}

// start starts the proxy and checks that it holds the descriptions. All proxies get the
// tools in the order of the first run of score-retrieval.
func (p *Proxies) start(ctx context.Context, w *warmProxy, corpus contracts.Corpus) error {
	proxy, err := undertest.Start(ctx, undertest.Options{
		Dir: p.opts.Dir, Corpus: corpus, Seed: 1, SearchPath: p.opts.Search, ReadyTimeout: p.opts.ReadyTimeout,
		QueryTimeout: p.opts.QueryTimeout, Progress: p.opts.Progress,
	})
	if err != nil {
		return err
	}

	_, digests, err := proxy.Holds(ctx, corpus)
	if err != nil {
		proxy.Stop()
		return err
	}

	w.proxy = proxy
	p.mu.Lock()
	first := !p.told
	p.told = true
	p.mu.Unlock()
	if text := undertest.Unverified(digests); first && text != "" && p.opts.Progress != nil {
		p.opts.Progress(text)
	}

	return nil
}

// askAll sends the queries at the given places. A query that fails counts as missed;
// it fails if the proxy ends, hangs, or fails on more than half of the queries.
func (w *warmProxy) askAll(ctx context.Context, results []result, open []int,
	known func(contracts.ToolID) bool) error {
	failed, unanswered := 0, 0
	for _, i := range open {
		r := &results[i]
		list, err := w.proxy.Rank(ctx, r.query.Query.Query, depth, known)
		if ctx.Err() != nil {
			return ctx.Err()
		}

		for _, h := range list.Hits[:min(depth, len(list.Hits))] {
			r.ranked = append(r.ranked, h.Name)
		}

		unanswered++
		if !errors.Is(err, undertest.ErrNoAnswer) {
			unanswered = 0
		}

		if err == nil {
			continue
		}

		failed++
		r.failed = err.Error()
		if how, ended := w.proxy.Ended(grace(err)); ended {
			return w.proxy.WithLog(fmt.Errorf("proxy %q ended during the queries: %s", w.proxy.Manifest.Name, how))
		}

		if unanswered == undertest.MaxUnanswered || 2*failed > len(open) {
			return w.proxy.WithLog(fmt.Errorf("proxy %q failed on %d of %d queries, the last with: %w",
				w.proxy.Manifest.Name, failed, len(open), err))
		}
	}

	return nil
}

// grace is how long to wait for the end of a proxy that may be ending.
func grace(err error) time.Duration {
	if errors.Is(err, undertest.ErrBroken) {
		return time.Second
	}
	return 0
}
