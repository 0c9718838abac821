package undertest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/touchstone-eval/touchstone/contracts"
)

// Answer is the answer to a search. Text is what a client receives: the text of an
// MCP result, its structured content if it has no text, or the body of a REST answer.
// It is nil for a search that is a function and has no such text.
type Answer struct {
	contracts.SearchAnswer
	Text []byte
	// describe sends the proxy's request for the definition of a tool in the answer. It
	// is nil if the adapter has none.
	describe func(ctx context.Context, id contracts.ToolID) (text []byte, asked bool, err error)
}

// Describe asks the proxy for the definition of a tool in the answer, if a call of the
// tool needs more than the answer has. It returns what a client receives.
func (p *Proxy) Describe(ctx context.Context, a Answer, id contracts.ToolID) (text []byte, asked bool, err error) {
	if a.describe == nil {
		return nil, false, nil
	}
	if text, asked, err = a.describe(ctx, id); err != nil {
		err = p.normalizeError(p.addr, err)
	}
	return text, asked, err
}

// Search sends a query for at most limit tools, over the search path that the proxy
// was started for. It returns the proxy's answer unchanged. The text of an error does
// not depend on ports, so that it can be part of a report.
func (p *Proxy) Search(ctx context.Context, query string, limit int) (Answer, error) {
	return p.searchBy(ctx, p.searcher, query, limit)
}

func (p *Proxy) searchBy(ctx context.Context, s searcher, query string, limit int) (Answer, error) {
	limited, cancel := context.WithTimeout(ctx, p.timeout)
	defer cancel()
	answer, err := p.degraded.search(limited, s, query, limit)
	if err == nil {
		return answer, nil
	}

	if ctx.Err() != nil {
		return answer, ctx.Err()
	}

	if limited.Err() != nil {
		return answer, fmt.Errorf("%w within %v", ErrNoAnswer, p.timeout)
	}

	return answer, p.normalizeError(p.addr, err)
}

// The errors of a search that timed out, and of one that lost the connection.
var (
	ErrNoAnswer = errors.New("the proxy did not answer")
	ErrBroken   = errors.New("the proxy broke the connection")
)

// restSearcher uses GET /api/v1/index/search.
type restSearcher struct {
	addr   address
	client *http.Client
}

func (s *restSearcher) search(ctx context.Context, query string, limit int) (Answer, error) {
	var answer wireAnswer
	values := url.Values{"q": {query}, "limit": {strconv.Itoa(limit)}}
	body, err := getBody(ctx, s.client, s.addr.base+"/api/v1/index/search?"+values.Encode(), &answer)
	if err != nil {
		return Answer{}, err
	}
	return answer.checked(body)
}

func (s *restSearcher) ownTools(context.Context) ([]Tool, error) { return nil, ErrNoMCP }

func (s *restSearcher) close() {}

// mcpSearcher calls the tool retrieve_tools over streamable HTTP.
type mcpSearcher struct{ *mcpClient }

func (s *mcpSearcher) search(ctx context.Context, query string, limit int) (Answer, error) {
	result, err := s.call(ctx, "retrieve_tools", map[string]any{"query": query, "limit": limit})
	if err != nil && !s.connected.Load() {
		// The proxy may only have the other search path.
		return Answer{}, fmt.Errorf("%w; if the proxy has no MCP search, use its REST search: "+
			"--search rest, in a pipeline --var retrieval.search=rest", err)
	}
	if err != nil {
		return Answer{}, err
	}
	return readResult(result)
}

// readResult decodes the answer of retrieve_tools: its structured content, or else its
// only text.
func readResult(result *mcp.CallToolResult) (Answer, error) {
	text := textOf(result)
	if result.IsError {
		return Answer{}, fmt.Errorf("retrieve_tools: %s", quoteStart([]byte(text)))
	}

	data := []byte(text)
	if result.StructuredContent != nil {
		var err error
		if data, err = json.Marshal(result.StructuredContent); err != nil {
			return Answer{}, fmt.Errorf("retrieve_tools: %w", err)
		}
	}

	var answer wireAnswer
	if err := json.Unmarshal(data, &answer); err != nil {
		return Answer{},
			fmt.Errorf("retrieve_tools: the answer is invalid (%w): it begins %s", err, quoteStart(data))
	}

	return answer.checked(textOrStructured(text, data))
}

// textOrStructured is what a client shows its model of a result.
func textOrStructured(text string, structured []byte) []byte {
	if text == "" {
		return structured
	}
	return []byte(text)
}

// wireAnswer is a received answer. A nil Tools means that the field is missing, while
// an empty list is a valid answer.
type wireAnswer struct {
	Tools *[]contracts.SearchHit `json:"tools"`
	Total int                    `json:"total"`
}

func (w wireAnswer) checked(text []byte) (Answer, error) {
	if w.Tools == nil {
		return Answer{}, errors.New(`the answer has no list "tools"`)
	}
	return Answer{SearchAnswer: contracts.SearchAnswer{Tools: *w.Tools, Total: w.Total}, Text: text}, nil
}
