package mcpclient

import (
	"context"
	"net"
)

// Dialer opens network connections.
type Dialer func(ctx context.Context, network, address string) (net.Conn, error)

// Names of the transports.
const (
	Stdio          = "stdio"
	StreamableHTTP = "http"
	SSE            = "sse"
)

// Target is one MCP server. Either Command or URL is set.
type Target struct {
	Command []string          // program and arguments
	Dir     string            // working directory of Command; empty for the caller's
	Env     map[string]string // added to the small environment that Command gets
	URL     string            // http or https
	Headers map[string]string // sent to the host of URL and to no other
	// Transport is the transport of URL: StreamableHTTP or SSE. A server that
	// refuses streamable HTTP is asked once more over SSE, as the
	// specification of the protocol recommends.
	Transport string
	// Dial opens the connections to URL, for callers that restrict addresses. If it
	// is set, proxies in the environment are not used. Optional.
	Dial Dialer
}
