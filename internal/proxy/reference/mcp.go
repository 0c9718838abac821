package reference

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

var retrieveTools = &mcp.Tool{
	Name: "retrieve_tools",
	Description: "Find tools among all connected servers. Describe what is to be done in plain words; " +
		"the best matches come first, each with its description and input schema. " +
		"Then run one with call_tool under the name given here.",
	InputSchema: json.RawMessage(`{
		"type": "object",
		"properties": {
			"query": {"type": "string", "description": "what is to be done, in plain words"},
			"limit": {"type": "integer", "minimum": 1, "maximum": 100, "default": 10, "description": "how many tools to return at most"}
		},
		"required": ["query"],
		"additionalProperties": false
	}`),
	OutputSchema: json.RawMessage(`{
		"type": "object",
		"properties": {
			"query": {"type": "string"},
			"total": {"type": "integer"},
			"tools": {
				"type": "array",
				"items": {
					"type": "object",
					"properties": {
						"name": {"type": "string"},
						"server": {"type": "string"},
						"description": {"type": "string"},
						"inputSchema": {"type": "object"},
						"score": {"type": "number"}
					},
					"required": ["name", "server", "description", "score"]
				}
			}
		},
		"required": ["query", "tools", "total"]
	}`),
	Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true},
}

var callTool = &mcp.Tool{
	Name: "call_tool",
	Description: "Run a tool that retrieve_tools found, on the server that it belongs to, and " +
		"return that server's answer.",
	InputSchema: json.RawMessage(`{
		"type": "object",
		"properties": {
			"name": {"type": "string", "description": "the tool's name as retrieve_tools gives it, server:tool"},
			"arguments": {"type": "object", "description": "arguments after the tool's input schema"}
		},
		"required": ["name"],
		"additionalProperties": false
	}`),
}

// mcpHandler serves MCP over streamable HTTP without sessions, so that clients
// cannot leave sessions behind.
func (p *Proxy) mcpHandler() http.Handler {
	server := mcp.NewServer(&mcp.Implementation{Name: "touchstone-proxy", Version: Version}, nil)
	server.AddTool(retrieveTools, p.retrieveTools)
	server.AddTool(callTool, p.callTool)
	return mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server },
		&mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true})
}

func (p *Proxy) retrieveTools(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	var args struct {
		Query string `json:"query"`
		Limit *int   `json:"limit"`
	}
	if err := json.Unmarshal(req.Params.Arguments, &args); err != nil {
		return failed("retrieve_tools requires a query and accepts a limit: %v", err), nil
	}

	limit := 0
	if args.Limit != nil {
		limit = *args.Limit
	}

	limit, err := checkSearch(args.Query, args.Limit != nil, limit)
	if err != nil {
		return failed("retrieve_tools: %v", err), nil
	}

	answer, err := p.Search(ctx, args.Query, limit)
	if err != nil {
		p.log.Error("search failed", "error", err)
		return failed("retrieve_tools: %v", err), nil
	}

	text, err := json.Marshal(answer)
	if err != nil {
		return nil, fmt.Errorf("retrieve_tools: %w", err)
	}

	return &mcp.CallToolResult{
		Content:           []mcp.Content{&mcp.TextContent{Text: string(text)}},
		StructuredContent: json.RawMessage(text),
	}, nil
}

func (p *Proxy) callTool(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	var args struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	}
	if err := json.Unmarshal(req.Params.Arguments, &args); err != nil {
		return failed("call_tool requires a name and accepts arguments: %v", err), nil
	}

	e, known := p.current.Load().byID[args.Name]
	switch {
	case !known:
		return failed("there is no tool %q: use a name from retrieve_tools, server:tool", args.Name), nil
	case e.state == StateQuarantined:
		return failed("tool %q is quarantined and was not called: %s", e.id, e.reason()), nil
	}

	server, err := p.server(e.server)
	if err != nil {
		return failed("tool %q cannot be called: %v", e.id, err), nil
	}

	limited, cancel := context.WithTimeout(ctx, p.timeout)
	defer cancel()
	result, err := server.call(limited, e.tool, args.Arguments)
	if err != nil {
		if errors.Is(limited.Err(), context.DeadlineExceeded) {
			return failed("tool %q did not answer within %v", e.id, p.timeout), nil
		}

		return failed("tool %q failed: %v", e.id, err), nil
	}

	return result, nil
}

// reason returns one sentence that says why a tool is quarantined.
func (e *entry) reason() string {
	var checks []string
	for _, f := range e.findings {
		text := f.Check
		if f.Detail != "" {
			text += " (" + f.Detail + ")"
		}

		if !slices.Contains(checks, text) {
			checks = append(checks, text)
		}
	}

	why := "the scanner considers it dangerous: " + strings.Join(checks, ", ")
	if e.approval == ApprovalChanged {
		why = "it differs from its approved content, and " + why
	}

	return why
}

// failed returns an error result that explains the failure to the model.
func failed(format string, args ...any) *mcp.CallToolResult {
	return &mcp.CallToolResult{
		IsError: true,
		Content: []mcp.Content{&mcp.TextContent{Text: fmt.Sprintf(format, args...)}},
	}
}
