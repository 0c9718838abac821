package reference

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/proxy/embedding"
)

// Version is the version that the proxy reports.
const Version = "1"

// indexDelay is how long tools wait for those of slower servers before they are
// indexed without them. When all servers have answered or failed, there is no wait.
const indexDelay = 2 * time.Second

// Proxy is a running reference proxy, returned by Start.
type Proxy struct {
	cfg     contracts.ProxyConfig
	model   embedding.Model // nil for a search by words alone
	log     *slog.Logger
	timeout time.Duration

	// current is the catalogue that searches and calls use.
	current atomic.Pointer[catalog]

	mu    sync.Mutex
	slots []*upstreamState // one for each upstream, in the configured order

	refresh chan struct{} // holds one token if the catalogue is out of date
	settled chan struct{} // closed when the first complete catalogue is in place
	cancel  context.CancelFunc
	running sync.WaitGroup
}

// upstreamState is the state of one upstream, guarded by Proxy.mu.
type upstreamState struct {
	cfg    contracts.Upstream
	state  UpstreamState
	err    error
	server *upstream
	tools  []*toolRecord

	// changed holds one token if the server has reported a change of its
	// tools and they have not been read since.
	changed chan struct{}
}

// UpstreamState is the state of the connection to an upstream.
type UpstreamState string

// The states of an upstream.
const (
	UpstreamConnecting UpstreamState = "connecting"
	UpstreamReady      UpstreamState = "ready"
	UpstreamFailed     UpstreamState = "failed"
)

// Start checks cfg and starts to connect its upstreams, several at a time. timeout
// limits the time to list the tools of each upstream, and the time of each call to a
// tool. If model is not nil, tools are found by words and by meaning. The caller must
// call Close.
func Start(cfg contracts.ProxyConfig, model embedding.Model, timeout time.Duration, log *slog.Logger) (*Proxy, error) {
	if err := checkConfig(cfg); err != nil {
		return nil, err
	}

	p := &Proxy{
		cfg: cfg, model: model, log: log, timeout: timeout,
		refresh: make(chan struct{}, 1), settled: make(chan struct{}),
	}
	p.current.Store(&catalog{})
	ctx, cancel := context.WithCancel(context.Background())
	p.cancel = cancel
	places := make(chan struct{}, 4*runtime.GOMAXPROCS(0))
	for _, up := range cfg.Upstreams {
		p.slots = append(p.slots, &upstreamState{cfg: up, state: UpstreamConnecting, changed: make(chan struct{}, 1)})
	}

	// The upstreams are started in the configured order. The order of their
	// answers does not matter, because the catalogue follows the configuration.
	p.running.Go(func() {
		for _, s := range p.slots {
			select {
			case places <- struct{}{}:
			case <-ctx.Done():
				return
			}

			p.running.Go(func() {
				p.connect(ctx, s)
				<-places
			})
		}
	})
	p.running.Go(func() { p.keepCatalog(ctx) })
	return p, nil
}

// connect connects one upstream and sets its state to ready or failed.
func (p *Proxy) connect(ctx context.Context, s *upstreamState) {
	limited, cancel := context.WithTimeout(ctx, p.timeout)
	defer cancel()
	server, err := connect(limited, s.cfg, p.log, func() { signal(s.changed) })
	var tools []*toolRecord
	if err == nil {
		tools, err = server.list(limited)
		if err != nil {
			server.close()
		}
	}

	p.mu.Lock()
	if err == nil && ctx.Err() != nil {
		// Close has visited the slots, or will and waits for this goroutine.
		err = errors.New("the proxy is stopping")
		server.close()
	}

	if err != nil {
		s.state, s.err = UpstreamFailed, err
		p.log.Error("upstream failed", "server", s.cfg.Name, "error", err)
	} else {
		s.state, s.server, s.tools = UpstreamReady, server, tools
		p.log.Info("upstream ready", "server", s.cfg.Name, "tools", len(tools))
	}

	p.mu.Unlock()
	p.outOfDate()
	if err == nil {
		ended := make(chan struct{})
		p.running.Go(func() {
			defer close(ended)
			p.watch(ctx, s, server)
		})
		p.running.Go(func() {
			for {
				select {
				case <-s.changed:
					p.relist(ctx, s, server)
				case <-ended:
					return
				}
			}
		})
	}
}

// relist reads the tools of an upstream after it reported a change. Calls must not
// overlap, because an older list must not replace a newer one.
func (p *Proxy) relist(ctx context.Context, s *upstreamState, server *upstream) {
	limited, cancel := context.WithTimeout(ctx, p.timeout)
	defer cancel()
	tools, err := server.list(limited)
	if err != nil {
		p.log.Error("upstream reported changed tools but did not list them", "server", s.cfg.Name, "error", err)
		return
	}

	p.mu.Lock()
	if s.state == UpstreamReady {
		s.tools = tools
	}

	p.mu.Unlock()
	p.log.Info("upstream changed its tools", "server", s.cfg.Name, "tools", len(tools))
	p.outOfDate()
}

// watch waits until the connection of an upstream ends and removes its tools.
func (p *Proxy) watch(ctx context.Context, s *upstreamState, server *upstream) {
	err := server.session.Wait()
	server.stop()
	if ctx.Err() != nil {
		return
	}

	if err == nil {
		err = errors.New("it closed the connection")
	}

	p.mu.Lock()
	s.state, s.err, s.tools = UpstreamFailed, err, nil
	p.mu.Unlock()
	p.log.Error("upstream ended", "server", s.cfg.Name, "error", err)
	p.outOfDate()
}

func (p *Proxy) outOfDate() { signal(p.refresh) }

// signal sends a token unless the channel is full.
func signal(token chan<- struct{}) {
	select {
	case token <- struct{}{}:
	default:
	}
}

// keepCatalog rebuilds the catalogue whenever it is out of date.
func (p *Proxy) keepCatalog(ctx context.Context) {
	if len(p.slots) == 0 {
		p.outOfDate()
	}

	first := true
	var took time.Duration // of the last rebuild; with many tools, the wait is longer
	for {
		select {
		case <-ctx.Done():
			return
		case <-p.refresh:
		}

		late := time.After(max(indexDelay, 4*took))
		for p.connecting() {
			select {
			case <-ctx.Done():
				return
			case <-p.refresh:
				continue
			case <-late:
			}

			break
		}

		complete := !p.connecting()
		started := time.Now()
		if err := p.rebuild(ctx); err != nil {
			p.log.Error("the catalogue could not be rebuilt", "error", err)
			continue
		}

		took = time.Since(started)
		if first && complete {
			first = false
			close(p.settled)
		}
	}
}

// connecting reports whether any upstream has neither answered nor failed.
func (p *Proxy) connecting() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range p.slots {
		if s.state == UpstreamConnecting {
			return true
		}
	}
	return false
}

func (p *Proxy) rebuild(ctx context.Context) error {
	p.mu.Lock()
	var tools []*toolRecord
	for _, s := range p.slots {
		tools = append(tools, s.tools...)
	}

	p.mu.Unlock()
	next, err := p.current.Load().next(ctx, tools, p.cfg, p.model)
	if err != nil {
		return err
	}

	p.current.Store(next)
	for _, e := range next.entries {
		if e.state == StateQuarantined {
			p.log.Warn("tool quarantined", "tool", e.id, "approval", e.approval, "reason", e.reason())
		}
	}

	p.log.Info("tools indexed", "indexed", next.index.size, "of", len(next.entries))
	return nil
}

// Settled returns a channel that is closed when every upstream has been indexed or
// has failed.
func (p *Proxy) Settled() <-chan struct{} { return p.settled }

// Search finds the tools that match a description of a task, the best first.
func (p *Proxy) Search(ctx context.Context, query string, limit int) (contracts.SearchAnswer, error) {
	return p.current.Load().search(ctx, query, limit)
}

// server returns the connection to an upstream.
func (p *Proxy) server(name string) (*upstream, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range p.slots {
		if s.cfg.Name == name {
			if s.state != UpstreamReady {
				return nil, fmt.Errorf("server %q is %s", name, s.state)
			}
			return s.server, nil
		}
	}
	return nil, fmt.Errorf("there is no server %q", name)
}

// Close closes all connections and stops every process that the proxy started.
func (p *Proxy) Close() {
	p.cancel()
	p.mu.Lock()
	var closing sync.WaitGroup
	for _, s := range p.slots {
		if s.server != nil {
			closing.Go(s.server.close)
		}
	}

	p.mu.Unlock()
	closing.Wait()
	p.running.Wait()
}
