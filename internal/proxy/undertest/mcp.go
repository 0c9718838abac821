package undertest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/touchstone-eval/touchstone/internal/proxy/mcpclient"
)

// mcpClient is a client of the proxy's MCP endpoint. It connects on first use, and
// again after its session breaks.
type mcpClient struct {
	client    *mcp.Client
	transport func() (mcp.Transport, error)
	only      bool        // whether the first session is the only possible one
	lost      atomic.Bool // whether the only session is over
	connected atomic.Bool // whether a session was ever established

	shared  bool               // whether the session belongs to another client
	turn    chan struct{}      // holds one token while the session is in use
	session *mcp.ClientSession // nil if there is no working session
}

// newMCPClient returns a client for streamable HTTP, or for HTTP with server-sent
// events if sse is true. It sends header with each request.
func newMCPClient(endpoint string, client *http.Client, header http.Header, sse bool) *mcpClient {
	limited := *client
	limited.Transport = headerTransport{client.Transport, header}
	return &mcpClient{client: anyMCPClient(), turn: make(chan struct{}, 1), transport: func() (mcp.Transport, error) {
		if sse {
			return stream{mcp.SSEClientTransport{Endpoint: endpoint, HTTPClient: &limited}}, nil
		}
		return &mcp.StreamableClientTransport{
			Endpoint: endpoint, HTTPClient: &limited, MaxRetries: -1, DisableStandaloneSSE: true,
		}, nil
	}}
}

// newStdioClient returns a client for a proxy that speaks MCP on its standard input
// and output. There is only one such session: if it breaks, the proxy can no longer
// be queried.
//
// Lines of its output that are no message of JSON-RPC, such as a greeting, go to other.
func newStdioClient(p *process, other io.Writer) *mcpClient {
	used := false
	return &mcpClient{client: anyMCPClient(), turn: make(chan struct{}, 1), only: true,
		transport: func() (mcp.Transport, error) {
			if used {
				return nil, ErrBroken
			}
			used = true
			out := io.NopCloser(&messages{from: p.out, most: maxAnswer})
			return &mcp.IOTransport{Reader: mcpclient.JSONRPCLines(out, other, maxAnswer), Writer: keepOpen{p.in}}, nil
		}}
}

func anyMCPClient() *mcp.Client {
	return mcp.NewClient(&mcp.Implementation{Name: "touchstone", Version: "1"}, &mcp.ClientOptions{
		Capabilities: &mcp.ClientCapabilities{},
	})
}

// use calls f with a session and returns its result, or returns when ctx ends. A proxy
// that does not read its input can block a write for ever, and cancelling the context
// does not stop such a write.
func use[T any](ctx context.Context, c *mcpClient, f func(*mcp.ClientSession) (T, error)) (T, error) {
	type outcome struct {
		v   T
		err error
	}
	done := make(chan outcome, 1)
	select {
	case c.turn <- struct{}{}:
		go func() {
			defer func() { <-c.turn }()
			v, err := attempt(ctx, c, f)
			done <- outcome{v, err}
		}()
	case <-ctx.Done():
	}

	select {
	case o := <-done:
		return o.v, o.err
	case <-ctx.Done():
		var nothing T
		return nothing, ctx.Err()
	}
}

// attempt connects if there is no session, and calls f. Invalid data on the connection
// breaks a session permanently, and must not affect the next request. So after an
// error the next attempt uses a new session. If only one session is possible, it is
// kept as long as its connection is open.
func attempt[T any](ctx context.Context, c *mcpClient, f func(*mcp.ClientSession) (T, error)) (v T, err error) {
	if c.session == nil {
		transport, err := c.transport()
		if err != nil {
			return v, err
		}

		connecting := ctx
		if c.only {
			// A query that ends while the proxy is still greeting must not end
			// the only session: later queries wait for it.
			connecting = context.WithoutCancel(ctx)
		}

		session, err := c.client.Connect(connecting, transport, nil)
		if err != nil {
			c.lost.Store(c.only)
			return v, fmt.Errorf("connect to its MCP endpoint: %w", err)
		}

		c.session = session
		c.connected.Store(true)
	}

	v, err = f(c.session)
	if err != nil && (!c.only || errors.Is(err, mcp.ErrConnectionClosed)) {
		c.lost.Store(c.only)
		c.drop()
	}

	return v, err
}

func (c *mcpClient) call(ctx context.Context, tool string, arguments map[string]any) (*mcp.CallToolResult, error) {
	return use(ctx, c, func(s *mcp.ClientSession) (*mcp.CallToolResult, error) {
		return s.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: arguments})
	})
}

// list reads all pages of tools/list.
func (c *mcpClient) list(ctx context.Context) ([]*mcp.Tool, error) {
	return use(ctx, c, func(s *mcp.ClientSession) ([]*mcp.Tool, error) { return mcpclient.Tools(ctx, s) })
}

// broken reports whether the proxy can no longer be queried.
func (c *mcpClient) broken() bool { return c.lost.Load() }

func (c *mcpClient) drop() {
	if c.session != nil && !c.shared {
		_ = c.session.Close()
	}
	c.session = nil
}

// sharing returns a client that uses the session of c, without waiting for its requests.
// If c has no session, nothing can be asked.
func (c *mcpClient) sharing() *mcpClient {
	return &mcpClient{client: c.client, only: true, shared: true, turn: make(chan struct{}, 1), session: c.session,
		transport: func() (mcp.Transport, error) { return nil, ErrBroken }}
}

// close ends the session, after the request in progress. If the proxy may be blocking
// that request, stop the proxy first.
func (c *mcpClient) close() {
	c.turn <- struct{}{}
	c.drop()
	<-c.turn
}

// textOf joins the texts in a tool's result.
func textOf(result *mcp.CallToolResult) string {
	var text string
	for _, c := range result.Content {
		if t, ok := c.(*mcp.TextContent); ok {
			text += t.Text
		}
	}
	return text
}

// eventStream is what the request for the stream of a session accepts.
const eventStream = "text/event-stream"

// stream is a transport whose stream of events outlives the request that opened it.
type stream struct{ sse mcp.SSEClientTransport }

// Connect opens the stream. ctx only limits the time to open it.
func (s stream) Connect(ctx context.Context) (mcp.Connection, error) {
	lasting, cancel := context.WithCancel(context.WithoutCancel(ctx))
	opened := context.AfterFunc(ctx, cancel)
	conn, err := s.sse.Connect(lasting)
	if !opened() && err == nil {
		_ = conn.Close()
		err = ctx.Err()
	}

	if err != nil {
		cancel()
		return nil, err
	}

	return streamed{conn, cancel}, nil
}

// streamed is a connection over a stream.
type streamed struct {
	mcp.Connection
	cancel context.CancelFunc
}

// Close ends the stream.
func (s streamed) Close() error {
	defer s.cancel()
	return s.Connection.Close()
}

// headerTransport adds headers to requests, and limits the size of answers.
type headerTransport struct {
	next   http.RoundTripper
	header http.Header
}

func (o headerTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	if len(o.header) > 0 {
		req = req.Clone(req.Context())
		for name, values := range o.header {
			req.Header[name] = values
		}
	}

	// The stream of a session names the address for messages.
	if err := checkLoopback(req.URL.String()); err != nil {
		return nil, err
	}

	resp, err := o.next.RoundTrip(req)
	if err != nil || req.Header.Get("Accept") == eventStream {
		return resp, err // the transport limits each event of a stream
	}

	resp.Body = struct {
		io.Reader
		io.Closer
	}{io.LimitReader(resp.Body, maxAnswer), resp.Body}
	return resp, nil
}

// keepOpen is a writer that ignores Close: the proxy's input stays open until the proxy
// is stopped.
type keepOpen struct{ io.Writer }

func (keepOpen) Close() error { return nil }
