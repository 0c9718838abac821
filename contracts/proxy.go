package contracts

import "encoding/json"

// ProxyManifest is the output of build-proxy: how to start the proxy under
// test, and the identity of what was built.
//
// Kind embedded is a proxy inside the touchstone binary. Kind binary is the
// file Binary, relative to the manifest's directory. Kind command is an
// installed program that the adapter names. Kept, relative to the manifest's
// directory, is the directory with files of the build that the proxy needs. Kind files
// is a program of the host that starts from them, such as an interpreter.
// Identity is the digest of the embedded proxy's source or of the binary. With
// an adapter, "+" and the digest of the adapter and its options follow. For
// Kind command it is that digest alone.
//
// Model, relative to the manifest's directory, is the directory of a sentence
// model for a proxy that ranks by meaning.
//
// Adapter, relative to the manifest's directory, describes a proxy that is
// started and queried differently from docs/reference/proxy-contract.md.
// Options are the adapter's settings; see docs/reference/adapters.md.
type ProxyManifest struct {
	Name     string            `json:"name"`
	Kind     string            `json:"kind"`
	Binary   string            `json:"binary,omitempty"`
	Kept     string            `json:"kept,omitempty"`
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
	ProxyFiles    = "files"
)

// ProxyConfig is the file that a proxy is started with: its upstream servers,
// in the order in which to connect and index them. Model is the directory of a
// sentence model; with it, tools are also ranked by meaning. Index options
// degrade the index on purpose, to prove that the gate notices.
type ProxyConfig struct {
	Upstreams []Upstream   `json:"upstreams"`
	Model     string       `json:"model,omitempty"`
	Index     IndexOptions `json:"index,omitzero"`
	// NoQuarantine makes tools findable that the reference proxy's scanner would
	// quarantine. They are listed with the findings.
	NoQuarantine bool `json:"no_quarantine,omitempty"`
}

// Upstream is one MCP server behind the proxy: Command (stdio) or URL
// (streamable HTTP), never both.
type Upstream struct {
	Name    string            `json:"name"`
	Command []string          `json:"command,omitempty"`
	Env     map[string]string `json:"env,omitempty"`
	URL     string            `json:"url,omitempty"`
}

// IndexOptions degrades what a proxy indexes and answers: the reference proxy does it
// itself, and for any other proxy the replayed servers and the client do it. The zero
// value is the normal proxy.
type IndexOptions struct {
	DropDescriptions bool `json:"drop_descriptions,omitempty"`
	ReverseTop       bool `json:"reverse_top,omitempty"`
	// Hide lists tools that are kept out of the index.
	Hide []ToolID `json:"hide,omitempty"`
}

// SearchAnswer is what retrieve_tools and the REST search return, best first.
type SearchAnswer struct {
	Query string      `json:"query"`
	Tools []SearchHit `json:"tools"`
	Total int         `json:"total"`
}

// SearchHit is one tool of a search answer. Name is the tool id,
// "<server>:<tool>". Scores are comparable within one answer only.
type SearchHit struct {
	Name        ToolID          `json:"name"`
	Server      string          `json:"server"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"inputSchema,omitempty"`
	Score       float64         `json:"score"`
}
