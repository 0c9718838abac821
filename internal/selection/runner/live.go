package runner

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/touchstone-eval/touchstone/internal/proxy/mcpclient"
	"github.com/touchstone-eval/touchstone/internal/scan/input"
	"github.com/touchstone-eval/touchstone/internal/selection"
)

// Live connects to real MCP servers.
type Live struct {
	// Timeout limits the start of one server and the listing of its tools.
	Timeout time.Duration
	// StartPrograms is the user's consent to start the programs of stdio servers.
	StartPrograms bool
	// Dial opens the connections to servers, if they are restricted. Optional.
	Dial mcpclient.Dialer
	// CheckPrograms limits the check of a program, which may have to be downloaded
	// first. 0 means the limit of all checks.
	CheckPrograms time.Duration
}

// Limits for the communication with a server.
const (
	DefaultTimeout = 30 * time.Second
	// checkTimeout keeps the registration of a server below two seconds.
	checkTimeout = 1800 * time.Millisecond
	// SlowStart is the limit of the check of a program for those who wait for it.
	SlowStart = 2 * time.Minute
)

// ErrSlow means that a server did not answer within the time of a check. It may
// answer later, so it did not fail.
var ErrSlow = errors.New("it is slow")

// ErrNoConsent means that a stdio server was not started.
var ErrNoConsent = errors.New("it is a program; --start allows it to run")

// target converts a server to the type that package input uses, with its secrets,
// which are returned too, to be kept out of texts.
func (l Live) target(ctx context.Context, s selection.Server) (t input.Server, secrets *secrets, err error) {
	secrets = newSecrets()
	t = input.Server{Name: s.Name, Client: "the database", Place: input.Place{File: "<server " + s.Name + ">"},
		Dial: l.Dial}
	if s.Transport == selection.Stdio && !l.StartPrograms {
		return t, secrets, ErrNoConsent
	}

	lookup := secrets.lookup(ctx)
	if t.Headers, t.Env, err = l.login(ctx, s, secrets); err != nil {
		return t, secrets, err
	}

	switch s.Transport {
	case selection.Stdio:
		t.Transport = mcpclient.Stdio
		if t.Command, err = s.Command(); err != nil {
			return t, secrets, err
		}

		for i, word := range t.Command {
			if t.Command[i], err = resolveAny(word, lookup); err != nil {
				return t, secrets, err
			}
		}

		return t, secrets, nil
	case selection.SSE:
		t.Transport = mcpclient.SSE
	default:
		t.Transport = mcpclient.StreamableHTTP
	}

	t.URL, err = resolveAny(s.URL, lookup)
	return t, secrets, err
}

// Check connects to a server without sending further requests.
func (l Live) Check(ctx context.Context, s selection.Server) error {
	t, secrets, err := l.target(ctx, s)
	if err != nil {
		return secrets.hide(err)
	}

	limit := checkTimeout
	if s.Transport == selection.Stdio {
		limit = max(limit, l.CheckPrograms)
	}

	within, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	err = mcpclient.Use(within, mcpclient.Target{Command: t.Command, URL: t.URL, Transport: t.Transport, Dial: l.Dial,
		Headers: t.Headers, Env: t.Env},
		mcpclient.Options{Name: "touchstone-eval", Version: input.Version},
		func(context.Context, *mcp.ClientSession) error { return nil })
	if within.Err() != nil && ctx.Err() == nil {
		return fmt.Errorf("%w: it did not answer within %s; it is checked again by its first run, or by touchstone "+
			"eval servers check", ErrSlow, limit)
	}

	return secrets.hide(err)
}

// List returns all tools of a server, in its order. They are unmodified but for
// secrets of its login, which are removed. If a part of the list cannot be read, it
// returns an error.
func (l Live) List(ctx context.Context, s selection.Server) ([]selection.Tool, error) {
	t, secrets, err := l.target(ctx, s)
	if err != nil {
		return nil, secrets.hide(err)
	}

	timeout := l.Timeout
	if timeout == 0 {
		timeout = DefaultTimeout
	}

	in, err := input.List(ctx, []input.Server{t}, timeout)
	if err != nil {
		return nil, secrets.hide(err)
	}

	if len(in.Unscanned) > 0 {
		u := in.Unscanned[0]
		if u.Tool != "" {
			return nil, secrets.hide(fmt.Errorf("its tool %q: %s", u.Tool, u.Reason))
		}

		return nil, secrets.hide(errors.New(u.Cause()))
	}

	tools := make([]selection.Tool, 0, len(in.Tools))
	for _, t := range in.Tools {
		tool := selection.Tool{Server: s.Name, Name: secrets.text(t.Name), Description: secrets.text(t.Description),
			InputSchema: secrets.json(t.InputSchema), OutputSchema: secrets.json(t.OutputSchema),
			Annotations: secrets.json(t.Annotations)}
		if len(tool.InputSchema) == 0 {
			tool.InputSchema = []byte("{}")
		}

		tools = append(tools, tool)
	}

	return tools, nil
}

// listings lists each server of a batch once: all runs of the batch are offered
// the same tools, and a failure applies to all.
type listings struct {
	lister Lister
	mu     sync.Mutex
	byName map[string]*listed
	seen   map[string]bool
}

type listed struct {
	done  chan struct{}
	tools []selection.Tool
	err   error
}

// first reports whether no run of the batch has asked for a server before.
func (l *listings) first(name string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.seen[name] {
		return false
	}
	if l.seen == nil {
		l.seen = map[string]bool{}
	}
	l.seen[name] = true
	return true
}

func (l *listings) list(ctx context.Context, s selection.Server) ([]selection.Tool, error) {
	key := s.Name + "\x00" + s.URL
	l.mu.Lock()
	entry, ok := l.byName[key]
	if !ok {
		entry = &listed{done: make(chan struct{})}
		l.byName[key] = entry
	}

	l.mu.Unlock()
	if !ok {
		entry.tools, entry.err = l.lister.List(ctx, s)
		if ctx.Err() != nil { // this run was cancelled: the next one lists again
			l.mu.Lock()
			delete(l.byName, key)
			l.mu.Unlock()
		}

		close(entry.done)
		return entry.tools, entry.err
	}

	select {
	case <-entry.done:
		if entry.err != nil && errors.Is(entry.err, context.Canceled) && ctx.Err() == nil {
			return l.list(ctx, s) // the run that listed first was cancelled
		}

		return entry.tools, entry.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
