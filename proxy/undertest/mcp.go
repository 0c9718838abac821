package undertest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/touchstone-eval/touchstone/listing"
)

// mcpClient is a client of the proxy's MCP endpoint. It connects when it is
// first asked, and again after whatever broke its session.
type mcpClient struct {
	client    *mcp.Client
	transport func() (mcp.Transport, error)
	session   *mcp.ClientSession // nil until there is one that works
	only      bool               // there is no other session after the first
	connected bool               // whether there ever was one
}

// newMCPClient makes a client for streamable HTTP that sends header along.
func newMCPClient(endpoint string, client *http.Client, header http.Header) *mcpClient {
	limited := *client
	limited.Transport = outgoing{client.Transport, header}
	return &mcpClient{client: anyMCPClient(), transport: func() (mcp.Transport, error) {
		return &mcp.StreamableClientTransport{
			Endpoint: endpoint, HTTPClient: &limited, MaxRetries: -1, DisableStandaloneSSE: true,
		}, nil
	}}
}

// newStdioClient makes a client for a proxy that speaks MCP on its standard
// input and output. There is only one such session: a proxy that breaks it
// cannot be asked again.
func newStdioClient(p *process) *mcpClient {
	used := false
	return &mcpClient{client: anyMCPClient(), only: true, transport: func() (mcp.Transport, error) {
		if used {
			return nil, ErrBroken
		}
		used = true
		return &mcp.IOTransport{Reader: io.NopCloser(&messages{from: p.out, most: maxAnswer}), Writer: keepOpen{p.in}}, nil
	}}
}

// messages reads messages, one a line, each of at most so many bytes and what
// one read adds.
type messages struct {
	from io.Reader
	most int
	size int // of the message at hand
}

func (m *messages) Read(b []byte) (int, error) {
	n, err := m.from.Read(b)
	if end := bytes.LastIndexByte(b[:n], '\n'); end >= 0 {
		m.size = n - end - 1
	} else if m.size += n; m.size > m.most {
		return 0, fmt.Errorf("it sent a message of more than %d MiB", m.most>>20)
	}
	return n, err
}

func anyMCPClient() *mcp.Client {
	return mcp.NewClient(&mcp.Implementation{Name: "touchstone", Version: "1"}, &mcp.ClientOptions{
		Capabilities: &mcp.ClientCapabilities{},
	})
}

// use runs f with a session. Garbage on the wire breaks a session for good,
// and the next question must not suffer for it: after an error there is a new
// one, unless it can only be this one, which is kept while its connection holds.
func (c *mcpClient) use(ctx context.Context, f func(*mcp.ClientSession) error) error {
	if c.session == nil {
		transport, err := c.transport()
		if err != nil {
			return err
		}
		session, err := c.client.Connect(ctx, transport, nil)
		if err != nil {
			return fmt.Errorf("connect to its MCP endpoint: %w", err)
		}
		c.session, c.connected = session, true
	}
	err := f(c.session)
	if err != nil && (!c.only || errors.Is(err, mcp.ErrConnectionClosed)) {
		c.close()
	}
	return err
}

func (c *mcpClient) call(ctx context.Context, tool string, arguments map[string]any) (result *mcp.CallToolResult, err error) {
	err = c.use(ctx, func(s *mcp.ClientSession) error {
		result, err = s.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: arguments})
		return err
	})
	return result, err
}

// list reads all pages of tools/list.
func (c *mcpClient) list(ctx context.Context) (tools []*mcp.Tool, err error) {
	err = c.use(ctx, func(s *mcp.ClientSession) error {
		tools, err = listing.Tools(ctx, s)
		return err
	})
	return tools, err
}

func (c *mcpClient) close() {
	if c.session != nil {
		_ = c.session.Close()
		c.session = nil
	}
}

// textOf joins the texts of a tool's result.
func textOf(result *mcp.CallToolResult) string {
	var text string
	for _, c := range result.Content {
		if t, ok := c.(*mcp.TextContent); ok {
			text += t.Text
		}
	}
	return text
}

// outgoing adds headers to requests, and cuts answers that are too large to be
// answers.
type outgoing struct {
	next   http.RoundTripper
	header http.Header
}

func (o outgoing) RoundTrip(req *http.Request) (*http.Response, error) {
	if len(o.header) > 0 {
		req = req.Clone(req.Context())
		for name, values := range o.header {
			req.Header[name] = values
		}
	}
	resp, err := o.next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	resp.Body = struct {
		io.Reader
		io.Closer
	}{io.LimitReader(resp.Body, maxAnswer), resp.Body}
	return resp, nil
}

// keepOpen is a writer that outlives the session that closes it: the proxy's
// input stays open until it is stopped.
type keepOpen struct{ io.Writer }

func (keepOpen) Close() error { return nil }
