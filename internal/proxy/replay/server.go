package replay

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/base/readlimit"
)

// Version is the version that a replay server reports.
const Version = "1"

// DefaultPageSize is the maximum number of tools in a tools/list answer, few enough
// that a typical corpus makes clients page, as real servers do.
const DefaultPageSize = 50

// An answer has at most pageBytes bytes of tools, unless a single tool is larger,
// because clients limit the length of a message (16 MiB in the Go SDK).
const pageBytes = 1 << 20

// protocolVersions lists the supported revisions of MCP, the newest first. A client
// that offers another revision gets the newest.
var protocolVersions = []string{"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"}

// The error codes of JSON-RPC 2.0, section 5.1.
const (
	codeParse          = -32700
	codeInvalidRequest = -32600
	codeNoMethod       = -32601
	codeInvalidParams  = -32602
)

type request struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`
}

type response struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Result  any             `json:"result,omitempty"`
	Error   *rpcError       `json:"error,omitempty"`
}

type rpcError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// tool is a tool in a tools/list answer.
type tool struct {
	Name         string          `json:"name"`
	Description  string          `json:"description"`
	InputSchema  json.RawMessage `json:"inputSchema"`
	OutputSchema json.RawMessage `json:"outputSchema,omitempty"`
	Annotations  json.RawMessage `json:"annotations,omitempty"`
}

// size is the number of bytes that count for a page.
func (t *tool) size() int {
	return len(t.Description) + len(t.InputSchema) + len(t.OutputSchema) + len(t.Annotations)
}

// Server replays the tools of one server of a corpus.
type Server struct {
	name     string
	tools    []tool
	pageSize int
	// listed, if set, is called for each tools/list answer with the number of the
	// tool after its last one.
	listed func(to int)
}

// NewServer returns a server with the tools of server name in the corpus, in their
// order, and pageSize tools in a tools/list answer. It fails if the corpus has no tool
// of that server.
func NewServer(corpus contracts.Corpus, name string, pageSize int) (*Server, error) {
	p := part{server: name}
	for _, t := range corpus.Tools {
		if t.Server == name {
			p.tools = append(p.tools, t)
		}
	}
	if len(p.tools) == 0 {
		return nil, fmt.Errorf("the corpus has no tool of server %q: its servers are %s", name,
			strings.Join(ServerNames(corpus), ", "))
	}
	return newServer(p, pageSize), nil
}

func newServer(p part, pageSize int) *Server {
	s := &Server{name: p.server, tools: make([]tool, len(p.tools)), pageSize: pageSize}
	for i, t := range p.tools {
		s.tools[i] = tool{t.Tool, t.Description, t.Schema, t.OutputSchema, t.Annotations}
	}
	return s
}

// ServerNames lists the names of the corpus's servers in the order of their first
// tool.
func ServerNames(corpus contracts.Corpus) []string {
	var names []string
	seen := map[string]bool{}
	for _, t := range corpus.Tools {
		if !seen[t.Server] {
			seen[t.Server] = true
			names = append(names, t.Server)
		}
	}
	return names
}

// Serve answers newline-delimited JSON-RPC on in until in ends, which is how an MCP
// client stops a stdio server. It answers requests in order. It answers a line that
// is not JSON-RPC with an error and continues.
func (s *Server) Serve(in io.Reader, out io.Writer) error {
	r := bufio.NewReaderSize(in, 64<<10)
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	for {
		line, err := readlimit.Line(r, maxMessage)
		resp := s.answer(bytes.TrimSpace(line))
		if errors.Is(err, readlimit.ErrLineTooLong) {
			resp = failure(nil, codeInvalidRequest, fmt.Sprintf("the request is larger than %d MiB", maxMessage>>20))
			err = readlimit.SkipLine(r)
		}

		if resp != nil {
			if err := enc.Encode(resp); err != nil {
				return fmt.Errorf("answer the client of server %q: %w", s.name, err)
			}
		}

		if errors.Is(err, io.EOF) {
			return nil
		}

		if err != nil {
			return fmt.Errorf("read the client of server %q: %w", s.name, err)
		}
	}
}

// answer returns nil for messages without an answer: notifications and blank lines.
func (s *Server) answer(line []byte) *response {
	if len(line) == 0 {
		return nil
	}

	var req request
	if err := json.Unmarshal(line, &req); err != nil {
		return failure(nil, codeParse, "the message is not a JSON-RPC request")
	}

	if req.Method == "" {
		return failure(req.ID, codeInvalidRequest, "the request has no method")
	}

	if req.ID == nil {
		return nil
	}

	result, rpcErr := s.call(req.Method, req.Params)
	if rpcErr != nil {
		return failure(req.ID, rpcErr.Code, rpcErr.Message)
	}

	return &response{JSONRPC: "2.0", ID: req.ID, Result: result}
}

func failure(id json.RawMessage, code int, message string) *response {
	if id == nil {
		id = json.RawMessage("null")
	}
	return &response{JSONRPC: "2.0", ID: id, Error: &rpcError{code, message}}
}

func (s *Server) call(method string, params json.RawMessage) (any, *rpcError) {
	switch method {
	case "initialize":
		return s.initialize(params)
	case "ping":
		return struct{}{}, nil
	case "tools/list":
		return s.list(params)
	case "tools/call":
		return s.callTool(params)
	}
	return nil, &rpcError{codeNoMethod, fmt.Sprintf("a replay server does not support the method %q", method)}
}

func (s *Server) initialize(params json.RawMessage) (any, *rpcError) {
	var p struct {
		ProtocolVersion string `json:"protocolVersion"`
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, &rpcError{codeInvalidParams, "initialize: the parameters are not an object with a protocolVersion"}
	}

	version := protocolVersions[0]
	if slices.Contains(protocolVersions, p.ProtocolVersion) {
		version = p.ProtocolVersion
	}

	return map[string]any{
		"protocolVersion": version,
		"capabilities":    map[string]any{"tools": map[string]any{}},
		"serverInfo":      map[string]any{"name": s.name, "version": Version},
	}, nil
}

func (s *Server) list(params json.RawMessage) (any, *rpcError) {
	var p struct {
		Cursor string `json:"cursor"`
	}
	if len(params) > 0 {
		if err := json.Unmarshal(params, &p); err != nil {
			return nil, &rpcError{codeInvalidParams, "tools/list: the parameters are not an object"}
		}
	}

	from := 0
	if p.Cursor != "" {
		n, err := strconv.Atoi(p.Cursor)
		if err != nil || n < 0 || n >= len(s.tools) {
			return nil, &rpcError{codeInvalidParams, fmt.Sprintf("tools/list: unknown cursor %q", p.Cursor)}
		}

		from = n
	}

	to, size := from, 0
	for to < len(s.tools) && to-from < s.pageSize && (to == from || size < pageBytes) {
		size += s.tools[to].size()
		to++
	}

	page := struct {
		Tools      []tool `json:"tools"`
		NextCursor string `json:"nextCursor,omitempty"`
	}{Tools: s.tools[from:to]}
	if to < len(s.tools) {
		page.NextCursor = strconv.Itoa(to)
	}

	if s.listed != nil {
		s.listed(to)
	}

	return page, nil
}

// callTool answers every call with a fixed text and does nothing else, so that the
// forwarding of a proxy can be tested.
func (s *Server) callTool(params json.RawMessage) (any, *rpcError) {
	var p struct {
		Name string `json:"name"`
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, &rpcError{codeInvalidParams, "tools/call: the parameters are not an object with a name"}
	}

	known := slices.ContainsFunc(s.tools, func(t tool) bool { return t.Name == p.Name })
	if !known {
		return nil, &rpcError{codeInvalidParams, fmt.Sprintf("tools/call: server %q has no tool %q", s.name, p.Name)}
	}

	return map[string]any{
		"content": []any{map[string]any{
			"type": "text",
			"text": fmt.Sprintf("replayed: %s:%s was called and did nothing", s.name, p.Name),
		}},
	}, nil
}
