package contracts

import "encoding/json"

// ProxyManifest is what build-proxy hands on: how to start the proxy under
// test, and the identity of what was built.
//
// Kind embedded means a proxy inside the touchstone binary; Kind binary means
// the file Binary, relative to the manifest's directory; Kind command means a
// program that is there already, which the adapter names.
// Identity is the digest of the embedded proxy's source or of the binary. With
// an adapter it is followed by "+" and the digest of the adapter and its
// options, and for Kind command it is that digest alone.
//
// Model, relative to the manifest's directory, is the directory of a sentence
// model for a proxy that ranks by meaning.
//
// Adapter, relative to the manifest's directory, describes a proxy that is
// started and asked in another way than docs/reference/proxy-contract.md says, and Options
// are its settings; see docs/reference/adapters.md.
type ProxyManifest struct {
	Name     string            `json:"name"`
	Kind     string            `json:"kind"`
	Binary   string            `json:"binary,omitempty"`
	Args     []string          `json:"args"`
	Adapter  string            `json:"adapter,omitempty"`
	Model    string            `json:"model,omitempty"`
	Options  map[string]string `json:"options,omitempty"`
	Identity string            `json:"identity"`
}

// Kinds of proxy.
const (
	ProxyEmbedded = "embedded"
	ProxyBinary   = "binary"
	ProxyCommand  = "command"
)

// ProxyConfig is the file that a proxy is started with: its upstream servers,
// in the order in which they are to be connected and indexed. Model is the
// directory of a sentence model, with which tools are ranked by meaning too.
// Index options exist to degrade the index on purpose, to prove that the gate
// notices.
type ProxyConfig struct {
	Upstreams []Upstream   `json:"upstreams"`
	Model     string       `json:"model,omitempty"`
	Index     IndexOptions `json:"index,omitzero"`
}

// Upstream is one MCP server behind the proxy: Command (stdio) or URL
// (streamable HTTP), never both.
type Upstream struct {
	Name    string            `json:"name"`
	Command []string          `json:"command,omitempty"`
	Env     map[string]string `json:"env,omitempty"`
	URL     string            `json:"url,omitempty"`
}

// IndexOptions changes what the reference proxy indexes and answers. The zero
// value is the proxy as it is meant to be.
type IndexOptions struct {
	DropDescriptions bool `json:"drop_descriptions,omitempty"`
	ReverseTop       bool `json:"reverse_top,omitempty"`
	// Hide lists tools that are kept out of the index and yet listed.
	Hide []ToolID `json:"hide,omitempty"`
}

// SearchAnswer is what retrieve_tools and the REST search return, best first.
type SearchAnswer struct {
	Query string      `json:"query"`
	Tools []SearchHit `json:"tools"`
	Total int         `json:"total"`
}

// SearchHit is one tool of a search answer. Name is the tool id,
// "<server>:<tool>". Score is comparable within one answer only.
type SearchHit struct {
	Name        ToolID          `json:"name"`
	Server      string          `json:"server"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"inputSchema,omitempty"`
	Score       float64         `json:"score"`
}
