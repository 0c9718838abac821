package contracts

import "encoding/json"

// A search can be a process that is no MCP proxy. It reads one SearchRequest a line on
// standard input and answers each with one SearchReply line on standard output, in
// the same order. It ends when its input ends.

// SearchProtocol is the version of the protocol below.
const SearchProtocol = 1

// The operations of a SearchRequest.
const (
	// OpIndex gives the program its tools. It is the first request, and comes once.
	OpIndex = "index"
	// OpSearch asks for the tools that fit a query.
	OpSearch = "search"
)

// SearchRequest is one request to a search. OpIndex has Tools, OpSearch has Query and
// Limit, the most results.
type SearchRequest struct {
	Protocol int          `json:"protocol"`
	ID       string       `json:"id"`
	Op       string       `json:"op"`
	Tools    []SearchTool `json:"tools,omitempty"`
	Query    string       `json:"query,omitempty"`
	Limit    int          `json:"limit,omitempty"`
}

// SearchTool is a tool to search. ID is "<server>:<tool>".
type SearchTool struct {
	ID           ToolID          `json:"id"`
	Server       string          `json:"server"`
	Name         string          `json:"name"`
	Description  string          `json:"description"`
	InputSchema  json.RawMessage `json:"input_schema,omitempty"`
	OutputSchema json.RawMessage `json:"output_schema,omitempty"`
	Annotations  json.RawMessage `json:"annotations,omitempty"`
}

// SearchReply answers the request with the same ID. Tools is the result of OpSearch,
// best first; a missing list is no answer to a search. Error means that the program
// could not answer.
type SearchReply struct {
	Protocol int          `json:"protocol"`
	ID       string       `json:"id"`
	Tools    *[]ReplyTool `json:"tools,omitempty"`
	Error    string       `json:"error,omitempty"`
}

// ReplyTool is one result. Score is recorded and not used: the order counts.
type ReplyTool struct {
	ID    ToolID  `json:"id"`
	Score float64 `json:"score,omitempty"`
}
