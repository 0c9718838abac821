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
}

// Limits for the communication with a server.
const (
	DefaultTimeout = 30 * time.Second
	// checkTimeout keeps the registration of a server below two seconds.
	checkTimeout = 1800 * time.Millisecond
)

// ErrNoConsent means that a stdio server was not started.
var ErrNoConsent = errors.New("it is a program; --start allows it to run")

// target converts a server to the type that package input uses.
func (l Live) target(s selection.Server) (input.Server, error) {
	t := input.Server{Name: s.Name, Client: "the database", Place: input.Place{File: "<server " + s.Name + ">"},
		Dial: l.Dial}
	switch s.Transport {
	case selection.Stdio:
		if !l.StartPrograms {
			return t, ErrNoConsent
		}

		command, err := s.Command()
		t.Command, t.Transport = command, mcpclient.Stdio
		return t, err
	case selection.SSE:
		t.URL, t.Transport = s.URL, mcpclient.SSE
	default:
		t.URL, t.Transport = s.URL, mcpclient.StreamableHTTP
	}

	return t, nil
}

// Check connects to a server without sending further requests.
func (l Live) Check(ctx context.Context, s selection.Server) error {
	t, err := l.target(s)
	if err != nil {
		return err
	}

	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	err = mcpclient.Use(ctx, mcpclient.Target{Command: t.Command, URL: t.URL, Transport: t.Transport, Dial: l.Dial},
		mcpclient.Options{Name: "touchstone-eval", Version: input.Version},
		func(context.Context, *mcp.ClientSession) error { return nil })
	if ctx.Err() != nil {
		return fmt.Errorf("it did not answer within %s", checkTimeout)
	}

	return err
}

// List returns all tools of a server, in its order and unmodified. If a part of
// the list cannot be read, it returns an error.
func (l Live) List(ctx context.Context, s selection.Server) ([]selection.Tool, error) {
	t, err := l.target(s)
	if err != nil {
		return nil, err
	}

	timeout := l.Timeout
	if timeout == 0 {
		timeout = DefaultTimeout
	}

	in, err := input.List(ctx, []input.Server{t}, timeout)
	if err != nil {
		return nil, err
	}

	if len(in.Unscanned) > 0 {
		u := in.Unscanned[0]
		if u.Tool != "" {
			return nil, fmt.Errorf("its tool %q: %s", u.Tool, u.Reason)
		}

		return nil, errors.New(u.Cause())
	}

	tools := make([]selection.Tool, 0, len(in.Tools))
	for _, t := range in.Tools {
		tool := selection.Tool{Server: s.Name, Name: t.Name, Description: t.Description, InputSchema: t.InputSchema,
			OutputSchema: t.OutputSchema, Annotations: t.Annotations}
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
}

type listed struct {
	done  chan struct{}
	tools []selection.Tool
	err   error
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
