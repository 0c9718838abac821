package undertest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/touchstone-eval/touchstone/contracts"
)

// Options is how a proxy under test is started.
type Options struct {
	// Dir is the directory with the manifest.
	Dir       string
	Upstreams []contracts.Upstream
	Index     contracts.IndexOptions
	// SearchPath is contracts.SearchMCP or contracts.SearchREST.
	SearchPath string
	// ReadyTimeout bounds the time from start to ready; QueryTimeout one
	// search or listing. Zero means a minute and ten seconds.
	ReadyTimeout time.Duration
	QueryTimeout time.Duration
	// Executable stands in for this program where the manifest asks for the
	// embedded proxy; empty means this program.
	Executable string
	// Progress, when set, is told what is being waited for.
	Progress func(message string)
}

// Proxy is a running proxy under test. It is not safe for use by several
// goroutines at once.
type Proxy struct {
	Manifest contracts.ProxyManifest

	dialect  dialect
	addr     address
	searcher searcher
	process  *process
	home     string // private directory, removed by Stop
	http     *http.Client
	timeout  time.Duration
}

// Start starts the proxy, with a private home directory and on loopback, and
// waits until it says that everything is indexed. Errors of a proxy that did
// not get there end with the tail of its log. The caller must call Stop.
func Start(ctx context.Context, opts Options) (*Proxy, error) {
	manifest, err := ReadManifest(opts.Dir)
	if err != nil {
		return nil, err
	}
	exe, err := program(manifest, opts.Dir, opts.Executable)
	if err != nil {
		return nil, err
	}
	if opts.ReadyTimeout == 0 {
		opts.ReadyTimeout = time.Minute
	}
	if opts.QueryTimeout == 0 {
		opts.QueryTimeout = 10 * time.Second
	}
	home, err := os.MkdirTemp("", "touchstone-proxy-")
	if err != nil {
		return nil, fmt.Errorf("make a private directory for the proxy: %w", err)
	}
	p := &Proxy{
		Manifest: manifest, home: home, timeout: opts.QueryTimeout,
		dialect: native{},
		// One connection for each proxy, and none that outlives it.
		http: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 4}},
	}
	if err := p.start(ctx, exe, opts); err != nil {
		if p.process != nil {
			p.process.stop()
			err = p.WithLog(err)
		}
		p.Stop()
		return nil, err
	}
	return p, nil
}

func (p *Proxy) start(ctx context.Context, exe string, opts Options) error {
	readyFile := filepath.Join(p.home, "ready.json")
	args, err := p.dialect.prepare(p.home, readyFile, opts)
	if err != nil {
		return err
	}
	argv := append(append([]string{exe}, p.Manifest.Args...), args...)
	if p.Manifest.Kind == contracts.ProxyEmbedded {
		argv = append(argv, "--until-stdin-closes")
	}
	if p.process, err = startProcess(argv, p.home); err != nil {
		return fmt.Errorf("start proxy %q: %w: build it again", p.Manifest.Name, err)
	}
	ready, cancel := context.WithTimeout(ctx, opts.ReadyTimeout)
	defer cancel()
	// A proxy that ended will not get ready.
	go func() {
		select {
		case <-p.process.exited:
			cancel()
		case <-ready.Done():
		}
	}()
	addr, err := p.waitReady(ready, readyFile, opts)
	if err != nil {
		select { // a request that failed may be the first sign of its end
		case <-p.process.exited:
		case <-time.After(10 * pollEvery):
		}
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case p.process.ended():
			return fmt.Errorf("proxy %q ended before it was ready: %s", p.Manifest.Name, p.process.how())
		case ready.Err() != nil:
			return fmt.Errorf("proxy %q was not ready within %v (%w): look at its log, or allow more time with --ready-timeout", p.Manifest.Name, opts.ReadyTimeout, err)
		}
		return fmt.Errorf("proxy %q: %w", p.Manifest.Name, err)
	}
	p.addr = addr
	p.searcher, err = p.dialect.searcher(addr, opts.SearchPath, p.http)
	return err
}

// pollEvery is how often an unready proxy is looked at.
const pollEvery = 20 * time.Millisecond

// maxBadPolls is how many looks in a row may find something that makes no
// sense before the proxy counts as broken. One alone may be a ready file that
// is just being written.
const maxBadPolls = 20

// waitReady waits for the address, and then until the proxy says that it is
// ready. The error is why it was not ready yet when ctx ended.
func (p *Proxy) waitReady(ctx context.Context, readyFile string, opts Options) (address, error) {
	started := time.Now()
	reported := started
	var addr address
	waiting := errors.New("it has not told its address")
	bad := 0
	for {
		done, progress, err := p.look(ctx, readyFile, &addr)
		switch {
		case ctx.Err() != nil:
		case err != nil:
			waiting = err
			if bad++; bad == maxBadPolls {
				return addr, err
			}
		case done:
			return addr, nil
		default:
			waiting, bad = errors.New(progress), 0
		}
		if opts.Progress != nil && time.Since(reported) >= 5*time.Second {
			reported = time.Now()
			opts.Progress(fmt.Sprintf("waiting for proxy %q for %v: %v", p.Manifest.Name, time.Since(started).Round(time.Second), waiting))
		}
		select {
		case <-ctx.Done():
			return addr, waiting
		case <-time.After(pollEvery):
		}
	}
}

// look finds out the address, if it is not known yet, and whether the proxy is
// ready; if it is not, progress says how far it is.
func (p *Proxy) look(ctx context.Context, readyFile string, addr *address) (done bool, progress string, err error) {
	if addr.base == "" {
		a, found, err := p.dialect.address(readyFile)
		if err != nil {
			return false, "", err
		}
		if !found {
			return false, "it has not told its address", nil
		}
		if err := checkLoopback(a.base); err != nil {
			return false, "", err
		}
		*addr = a
	}
	done, progress, err = p.dialect.ready(ctx, p.http, *addr)
	if err != nil {
		err = p.scrub(*addr, err)
	}
	return done, progress, err
}

// checkLoopback refuses a proxy that listens where it was not told to.
func checkLoopback(base string) error {
	u, err := url.Parse(base)
	if err != nil || u.Scheme != "http" {
		return fmt.Errorf("it says that it listens at %q, which is no http address", base)
	}
	host := u.Hostname()
	ip := net.ParseIP(host)
	if host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return fmt.Errorf("it listens at %q and was told to keep to loopback", base)
	}
	return nil
}

// Stop ends the proxy and every process that it started, and removes its
// private directory. It may be called twice.
func (p *Proxy) Stop() {
	if p.searcher != nil {
		p.searcher.close()
		p.searcher = nil
	}
	if p.process != nil {
		p.process.stop()
	}
	p.http.CloseIdleConnections()
	_ = os.RemoveAll(p.home)
}

// Ended tells whether the proxy's process is gone, and how it went. It waits
// up to grace for that: a broken connection is often seen before the end that
// broke it.
func (p *Proxy) Ended(grace time.Duration) (how string, ended bool) {
	select {
	case <-p.process.exited:
	case <-time.After(grace):
		if !p.process.ended() {
			return "", false
		}
	}
	return p.process.how(), true
}

// Log is the tail of what the proxy wrote, fit to be shown: secrets masked,
// control characters escaped.
func (p *Proxy) Log() string { return p.process.log.tail() }

// WithLog appends the tail of the proxy's log to an error.
func (p *Proxy) WithLog(err error) error {
	log := p.Log()
	if log == "" {
		return fmt.Errorf("%w; it wrote no log", err)
	}
	return fmt.Errorf("%w; the end of its log:\n%s", err, log)
}

// brokenConnection matches the ways in which a connection is found to be
// broken. Which of them it is depends on timing alone.
var brokenConnection = regexp.MustCompile(`\bEOF\b|connection reset by peer|broken pipe|connection refused|server closed idle connection`)

// scrub takes what differs from run to run out of an error's text: reports
// are made of it.
func (p *Proxy) scrub(addr address, err error) error {
	if brokenConnection.MatchString(err.Error()) {
		return ErrBroken
	}
	text := strings.ReplaceAll(err.Error(), addr.base, "the proxy")
	return errors.New(loopbackPort.ReplaceAllString(text, "loopback"))
}
