package mcpclient

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Options are the settings of a connection.
type Options struct {
	// Name and Version identify the client to the server.
	Name, Version string
	// Observe is called with each JSON-RPC message of the server, as sent,
	// before the session acts on it. It may be called from several goroutines
	// and must not keep the slice. Optional.
	Observe func(message []byte)
	// Stderr receives what a command prints for people: its standard error, and the
	// lines of its standard output that are not JSON. Optional.
	Stderr io.Writer
}

// Use connects to the server, calls do with the session, and then ends the
// session and, for a command, the server with everything that it started. It
// returns the error of the connection or of do, or that of ctx when ctx ends
// first: do may then still be running, and its session fails.
func Use(ctx context.Context, t Target, o Options, do func(context.Context, *mcp.ClientSession) error) error {
	if len(t.Command) > 0 {
		return useCommand(ctx, t, o, do)
	}

	refused, err := useURL(ctx, t, o, do)
	if err == nil || !refused || t.Transport == SSE || ctx.Err() != nil {
		return err
	}

	t.Transport = SSE
	_, err2 := useURL(ctx, t, o, do)
	var answer *AnswerError
	switch {
	case err2 == nil:
		return nil
	case errors.As(err2, &answer) &&
		(answer.Status == http.StatusUnauthorized || answer.Status == http.StatusForbidden):
		return err2 // it does support SSE
	case err2.Error() == err.Error():
		return fmt.Errorf("%w, also over SSE", err)
	}

	return fmt.Errorf("%w; and over SSE: %w", err, err2)
}

func useCommand(ctx context.Context, t Target, o Options, do func(context.Context, *mcp.ClientSession) error) error {
	p, err := start(t, o.Stderr)
	if err != nil {
		return &StartError{err}
	}

	b := newBudget()
	end, ended := newEnding(), false
	stop := func() {
		ended = end.seen.Load()
		p.Stop()
	}
	err = b.explain(runSession(ctx, stop, &mcp.IOTransport{
		Reader: &observed{ReadCloser: newJSONLines(endingReader{p.Out, end}, o.Stderr),
			messages: messages{framing: perLine, observe: o.Observe, budget: b}},
		Writer: endingWriter{p.In, end},
	}, o, do))
	if err != nil && ended && ctx.Err() == nil && b.excess.Load() == nil {
		return &EndedError{p.State, err}
	}

	return err
}

// useURL also reports whether the server refused the first request like a server that
// only supports SSE.
func useURL(ctx context.Context, t Target, o Options, do func(context.Context, *mcp.ClientSession) error) (refused bool,
	err error) {
	over := make(chan struct{})
	defer close(over)
	transport, rt, stop, err := httpTransport(over, t, o)
	if err != nil {
		return false, err
	}
	err = runSession(ctx, stop, transport, o, do)
	if ctx.Err() == nil {
		err = rt.outcome.explain(err)
	}
	return rt.refused.Load(), rt.budget.explain(err)
}

// runSession calls do in a goroutine, and returns at the latest when ctx ends. A server that
// never reads its input can block a write forever, and the context does not end that write.
// Stopping the server ends the write, and then the goroutine.
func runSession(ctx context.Context, stop func(), transport mcp.Transport, o Options,
	do func(context.Context, *mcp.ClientSession) error) error {
	done := make(chan error, 1)
	go func() {
		client := mcp.NewClient(&mcp.Implementation{Name: o.Name, Version: o.Version}, &mcp.ClientOptions{
			Capabilities: &mcp.ClientCapabilities{},
		})
		session, err := client.Connect(ctx, transport, nil)
		if err != nil {
			done <- fmt.Errorf("connect: %w", err)
			return
		}

		defer session.Close()
		done <- do(ctx, session)
	}()
	select {
	case err := <-done:
		stop()
		return err
	case <-ctx.Done():
		stop()
		return ctx.Err()
	}
}
