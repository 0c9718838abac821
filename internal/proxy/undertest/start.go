package undertest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/base/lazyregexp"
	"github.com/touchstone-eval/touchstone/internal/proxy/adapter"
	"github.com/touchstone-eval/touchstone/internal/proxy/replay"
)

// Options are the options of Start.
type Options struct {
	// Dir is the directory with the manifest.
	Dir string
	// Corpus holds the tools of the servers that are replayed to the proxy, in the
	// order of Seed (see replay.Options).
	Corpus contracts.Corpus
	Seed   uint64
	Index  contracts.IndexOptions
	// SearchPath is contracts.SearchMCP or contracts.SearchREST. Empty means
	// any path that the proxy has.
	SearchPath string
	// ReadyTimeout limits the time from start to ready, QueryTimeout that of
	// one search or listing. Zero means DefaultReadyTimeout and ten seconds.
	ReadyTimeout time.Duration
	QueryTimeout time.Duration
	// FindAtMost limits how many tools are searched for to find out whether a proxy is
	// ready, if its adapter asks for that or it lists no tools. They are spread over the
	// corpus. Zero means all. A measurement of the time until a proxy is ready sets it,
	// because the searches take time that is not the proxy's. Holds and Tools then only
	// know of these tools.
	FindAtMost int
	// Executable is the touchstone binary, which replays the corpus and contains
	// the reference proxy. Empty means this program.
	Executable string
	// Secret is passed to the proxy, such as an API key. Empty means the value
	// of PROXY_SECRET in the environment of this process.
	Secret string
	// KeepHome is a directory that becomes the proxy's private directory and is not
	// removed. It must not exist or be empty. Empty means a temporary directory.
	KeepHome string
	// Progress, if set, receives messages about what Start is waiting for.
	Progress func(message string)

	upstreams []contracts.Upstream // the replayed servers
}

// DefaultReadyTimeout is enough for a proxy that takes a minute to index, on a machine
// with other load. Start does not wait for a proxy that has ended.
const DefaultReadyTimeout = 3 * time.Minute

// Proxy is a running proxy under test. It is not safe for concurrent use.
type Proxy struct {
	Manifest contracts.ProxyManifest

	driver   driver
	degraded degradation // from outside
	servers  *replay.Servers
	addr     address
	path     string // the search path, or empty
	searcher searcher
	process  *process
	home     string // private directory
	keepHome bool   // whether Stop leaves it
	http     *http.Client
	timeout  time.Duration
	ready    time.Duration
}

// Start replays the corpus, starts the proxy on loopback with a private home directory, and waits until it
// reports that everything is indexed. If it does not get ready, the error ends with the
// end of its log. The caller must call Stop.
func Start(ctx context.Context, opts Options) (*Proxy, error) {
	manifest, err := readManifest(opts.Dir)
	if err != nil {
		return nil, err
	}

	if opts.ReadyTimeout == 0 {
		opts.ReadyTimeout = DefaultReadyTimeout
	}

	if opts.Executable == "" {
		if opts.Executable, err = os.Executable(); err != nil {
			return nil, fmt.Errorf("find this program, which replays the corpus: %w", err)
		}
	}

	if opts.QueryTimeout == 0 {
		opts.QueryTimeout = 10 * time.Second
	}

	for attempt := 1; ; attempt++ {
		p, err := startOnce(ctx, manifest, opts)
		if err == nil {
			return p, nil
		}

		// Another process may have taken the port after it was found to be free
		// and before the proxy listened on it.
		if !errors.Is(err, errPortTaken) || attempt == maxAttempts || opts.KeepHome != "" {
			return nil, err
		}
	}
}

// maxAttempts is how often a proxy is started if its port is taken.
const maxAttempts = 3

var (
	errPortTaken = errors.New("its port is already in use")
	portTaken    = lazyregexp.New(`(?i)address already in use|EADDRINUSE|port .{0,20}in use`)
)

func startOnce(ctx context.Context, manifest contracts.ProxyManifest, opts Options) (*Proxy, error) {
	drv, err := driverOf(manifest, opts)
	if err != nil {
		return nil, err
	}

	var degraded degradation
	if !drv.degrades() {
		degraded, opts.Index = degradation(opts.Index), contracts.IndexOptions{}
		opts.Corpus = degraded.corpus(opts.Corpus)
	}

	replayed := drv.replay()
	replayed.Seed = opts.Seed
	servers, err := replay.Start(opts.Executable, opts.Corpus, replayed)
	if err != nil {
		return nil, err
	}

	opts.upstreams = servers.Upstreams
	home, err := homeFor(opts.KeepHome)
	if err != nil {
		servers.Stop()
		return nil, err
	}

	p := &Proxy{
		Manifest: manifest, home: home, timeout: opts.QueryTimeout, driver: drv, servers: servers,
		keepHome: opts.KeepHome != "", degraded: degraded, path: opts.SearchPath,
		// Each proxy gets its own connections, which end with it.
		http: newHTTPClient(),
	}
	if err := p.start(ctx, opts); err != nil {
		if p.process != nil {
			taken := p.process.ended() && portTaken().MatchString(p.process.log.text())
			p.process.stop()
			err = p.WithLog(err)
			if _, chosen := drv.(*adapterDriver); chosen && taken {
				err = fmt.Errorf("%w: %w", errPortTaken, err)
			}
		}

		p.Stop()
		return nil, err
	}

	return p, nil
}

func newHTTPClient() *http.Client {
	return &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 4}, CheckRedirect: checkRedirect}
}

// homeFor returns the private directory of a proxy: kept, or a temporary directory if
// kept is empty.
func homeFor(kept string) (string, error) {
	if kept == "" {
		home, err := os.MkdirTemp("", "touchstone-proxy-")
		if err != nil {
			return "", fmt.Errorf("create a private directory for the proxy: %w", err)
		}
		return home, nil
	}
	return KeptHome(kept)
}

// KeptHome creates a directory that a user names with --keep-home, and returns its
// absolute path. A directory that exists must be empty.
func KeptHome(dir string) (string, error) {
	if entries, err := os.ReadDir(dir); err == nil && len(entries) > 0 {
		return "", fmt.Errorf("--keep-home: %s is not empty: name a directory that does not exist", dir)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("--keep-home: %w", err)
	}
	return filepath.Abs(dir)
}

// WriteHome creates the directories and files below home that the proxy reads at its
// start.
func WriteHome(home string, l adapter.Launch) error {
	for _, dir := range l.Directories {
		if err := os.MkdirAll(filepath.Join(home, dir), 0o700); err != nil {
			return fmt.Errorf("create a directory for the proxy: %w", err)
		}
	}

	for name, content := range l.Files {
		path := filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return fmt.Errorf("create a directory for the proxy: %w", err)
		}

		if err := os.WriteFile(path, content, 0o600); err != nil {
			return fmt.Errorf("write the proxy's configuration: %w", err)
		}
	}

	return nil
}

func (p *Proxy) start(ctx context.Context, opts Options) error {
	launch, err := p.driver.launch(p.home, opts)
	if err != nil {
		return err
	}

	if err := WriteHome(p.home, launch); err != nil {
		return err
	}

	if opts.Secret != "" {
		launch.Env = maps.Clone(launch.Env)
		if launch.Env == nil {
			launch.Env = map[string]string{}
		}

		launch.Env[secretVariable] = opts.Secret
	}

	env, err := environment(p.home, launch.Env)
	if err != nil {
		return fmt.Errorf("start proxy %q: %w", p.Manifest.Name, err)
	}

	began := time.Now()
	if p.process, err = startProcess(launch, p.home, env); err != nil {
		remedy := "build it again"
		if errors.Is(err, syscall.ENOEXEC) {
			remedy = fmt.Sprintf("it is neither a program for %s/%s nor a script that starts with its interpreter "+
				"(#!/bin/sh): build it for this machine, or add that line", runtime.GOOS, runtime.GOARCH)
		}

		return fmt.Errorf("start proxy %q: %w: %s", p.Manifest.Name, err, remedy)
	}

	p.process.log.keep(opts.Secret)
	p.driver.started(p.process)
	ready, cancel := context.WithTimeout(ctx, opts.ReadyTimeout)
	defer cancel()
	// Stop waiting if the proxy ends.
	go func() {
		select {
		case <-p.process.exited:
			cancel()
		case <-ready.Done():
		}
	}()
	addr, err := p.waitReady(ready, opts)
	if err != nil {
		select { // a failed request may be the first sign that the proxy has ended
		case <-p.process.exited:
		case <-time.After(10 * pollEvery):
		}

		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case p.process.ended():
			return fmt.Errorf("proxy %q ended before it was ready: %s", p.Manifest.Name, p.process.how())
		case ready.Err() != nil:
			return fmt.Errorf("proxy %q was not ready within %v (%w%s): check its log, or allow more time with "+
				"--ready-timeout; %s", p.Manifest.Name, opts.ReadyTimeout, err, p.otherListeners(addr), p.unlisted())
		}

		return fmt.Errorf("proxy %q: %w", p.Manifest.Name, err)
	}

	if err := p.checkListeners(); err != nil {
		return fmt.Errorf("proxy %q: %w", p.Manifest.Name, err)
	}

	p.ready = time.Since(began)
	p.addr = addr
	p.searcher, err = p.driver.searcher(addr, opts.SearchPath, p.http)
	return err
}

// Ask sends a request to a proxy that an adapter describes.
func (p *Proxy) Ask(ctx context.Context, q adapter.Question) (adapter.Answer, error) {
	d, ok := p.driver.(*adapterDriver)
	if !ok {
		return adapter.Answer{}, fmt.Errorf("proxy %q has no adapter", p.Manifest.Name)
	}

	limited, cancel := context.WithTimeout(ctx, p.timeout)
	defer cancel()
	answer, err := d.ask(limited, p.http, p.addr, q)
	if err != nil {
		err = p.normalizeError(p.addr, err)
	}

	return answer, err
}

// TimeToReady is the time from the start of the process until it was ready.
func (p *Proxy) TimeToReady() time.Duration { return p.ready }

// unlisted describes what the proxy has not read of its servers, for the end of a
// message. A proxy that has read everything may only be slow.
func (p *Proxy) unlisted() string {
	if p.driver.replay().None {
		return "it got its tools from this program"
	}

	lines := p.servers.Unlisted()
	if len(lines) == 0 {
		return "it has listed all tools of its servers"
	}
	return fmt.Sprintf("it has not listed all tools of %d of its %d servers:\n%s", len(lines), len(p.servers.Upstreams),
		Shorten(lines))
}

// pollEvery is the interval between checks of an unready proxy.
const pollEvery = 20 * time.Millisecond

// maxBadPolls is the number of consecutive invalid answers after which the proxy counts
// as broken. A single one may be a ready file that is being written.
const maxBadPolls = 20

// waitReady waits for the address, and then until the proxy is ready. If ctx ends, the
// error says why the proxy was not ready yet.
func (p *Proxy) waitReady(ctx context.Context, opts Options) (address, error) {
	started := time.Now()
	reported := started
	var addr address
	waiting := errors.New("it has not announced its address")
	bad := 0
	for {
		done, progress, err := p.pollReady(ctx, &addr)
		switch {
		case ctx.Err() != nil:
		case err != nil:
			waiting = err
			if bad++; bad == maxBadPolls || errors.As(err, new(*finalError)) {
				return addr, err
			}
		case done:
			return addr, nil
		default:
			waiting, bad = errors.New(progress), 0
		}

		if opts.Progress != nil && time.Since(reported) >= 5*time.Second {
			reported = time.Now()
			opts.Progress(fmt.Sprintf("waiting for proxy %q for %v: %v", p.Manifest.Name,
				time.Since(started).Round(time.Second), waiting))
		}

		select {
		case <-ctx.Done():
			return addr, waiting
		case <-time.After(pollEvery):
		}
	}
}

// pollReady finds out the address, if it is unknown, and whether the proxy is ready. If it
// is not, progress describes how far it is.
func (p *Proxy) pollReady(ctx context.Context, addr *address) (done bool, progress string, err error) {
	if addr.base == "" {
		a, found, err := p.driver.address(p.home)
		if err != nil {
			return false, "", err
		}

		if !found {
			return false, "it has not announced its address", nil
		}

		for _, told := range []string{a.base, a.mcp} {
			if err := checkLoopback(told); err != nil {
				return false, "", err
			}
		}

		*addr = a
	}

	done, progress, err = p.driver.ready(ctx, p.http, *addr)
	if err != nil {
		final := errors.As(err, new(*finalError))
		if err = p.normalizeError(*addr, err); final {
			err = &finalError{err}
		}
	}

	return done, p.process.log.hide(progress), err
}

// finalError is an error after which a proxy cannot become ready any more.
type finalError struct{ error }

func (e *finalError) Unwrap() error { return e.error }

// checkLoopback refuses a proxy that listens elsewhere than on loopback.
func checkLoopback(base string) error {
	u, err := url.Parse(base)
	if err != nil || u.Scheme != "http" {
		return fmt.Errorf("it announces the address %q, which is not an http address", base)
	}
	host := u.Hostname()
	ip := net.ParseIP(host)
	if host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return fmt.Errorf("it listens at %q but must listen only on loopback", base)
	}
	return nil
}

// checkRedirect refuses a redirect to another machine, so that requests to the proxy stay on
// this machine.
func checkRedirect(req *http.Request, via []*http.Request) error {
	if checkLoopback(req.URL.String()) != nil {
		return fmt.Errorf("it redirects to %s, which is not on loopback", req.URL.Host)
	}
	if len(via) >= 10 {
		return errors.New("it redirects too often")
	}
	return nil
}

// Stop stops the proxy and every process that it started, and removes its private
// directory. It may be called twice.
func (p *Proxy) Stop() {
	if p.searcher != nil {
		p.searcher.close()
		p.searcher = nil
	}

	if p.process != nil && p.process.out == nil {
		p.driver.close() // while the proxy is still running
	}

	if p.process != nil {
		p.process.stop()
	}

	p.driver.close()
	p.http.CloseIdleConnections()
	p.servers.Stop()
	if !p.keepHome {
		_ = os.RemoveAll(p.home)
	}
}

// Ended reports whether the proxy's process has ended, and how. It waits up to grace,
// because a broken connection is often noticed before the end of the process that
// caused it.
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

// Log returns the end of the proxy's output for display: secrets are masked and control
// characters escaped.
func (p *Proxy) Log() string { return p.process.log.tail() }

// WithLog appends the end of the proxy's log to an error.
func (p *Proxy) WithLog(err error) error {
	log := p.Log()
	if log == "" {
		return fmt.Errorf("%w; it wrote no log", err)
	}
	return fmt.Errorf("%w; the end of its log:\n%s", err, log)
}

// brokenConnection matches the errors of a broken connection. Which of them occurs
// depends only on timing.
var brokenConnection = lazyregexp.New(`\bEOF\b|connection reset by peer|broken pipe|connection refused|server closed idle connection`)

// maxError limits the length of a proxy's error message, in bytes.
const maxError = 2000

// normalizeError removes from an error's text what differs between runs, secrets, and what
// controls a terminal, because the text becomes part of reports.
func (p *Proxy) normalizeError(addr address, err error) error {
	if errors.Is(err, ErrBroken) || brokenConnection().MatchString(err.Error()) {
		return ErrBroken
	}
	text := strings.ReplaceAll(p.process.log.hide(err.Error()), addr.base, "the proxy")
	if d, ok := p.driver.(*adapterDriver); ok && d.run != nil {
		text = strings.ReplaceAll(text, p.home, "its home")
	}
	return errors.New(printable(clipped(loopbackPort().ReplaceAllString(text, "loopback"), maxError)))
}
