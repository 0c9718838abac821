package direct

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/base/atomicfile"
	"github.com/touchstone-eval/touchstone/internal/proxy/embedding"
	"github.com/touchstone-eval/touchstone/internal/proxy/reference"
)

// The rankings.
const (
	RankBM25    = "bm25"
	RankStemmed = "bm25-stemmed"
	RankDense   = "dense"
	RankAll     = "all"
)

// Rankings lists the rankings.
func Rankings() []string { return []string{RankBM25, RankStemmed, RankDense, RankAll} }

// Options are the options of Serve.
type Options struct {
	Config contracts.ProxyConfig
	Rank   string
	// Model is used by RankDense.
	Model     embedding.Model
	Listen    string // must be a loopback address
	ReadyFile string // written once all tools are ranked; may be empty
	// Timeout limits reading the tools of all servers and preparing the ranking.
	Timeout time.Duration
	Log     *slog.Logger
}

// client holds the tools and answers searches.
type client struct {
	tools  []tool
	ranker ranker
}

// Serve reads the tools of all servers and answers searches until ctx ends. It then
// returns nil.
func Serve(ctx context.Context, opts Options) error {
	host, _, err := net.SplitHostPort(opts.Listen)
	if ip := net.ParseIP(host); err != nil || ip == nil || !ip.IsLoopback() {
		return fmt.Errorf("listen on %q: give a loopback address, such as 127.0.0.1:0", opts.Listen)
	}

	listener, err := net.Listen("tcp", opts.Listen)
	if err != nil {
		return fmt.Errorf("%w: choose another port, or port 0 for any free one", err)
	}

	defer listener.Close()
	starting, cancel := context.WithTimeout(ctx, opts.Timeout)
	defer cancel()
	c, err := newClient(starting, opts)
	if ctx.Err() != nil {
		return nil
	}

	if err != nil {
		return err
	}

	size := 0
	for _, t := range c.tools {
		size += len(t.id) + len(t.description) + len(t.schema)
	}

	opts.Log.Info("all tools are read", "tools", len(c.tools), "rank", opts.Rank, "bytes in context without a search",
		size)
	server := &http.Server{Handler: c.handler(), ReadHeaderTimeout: 10 * time.Second}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	if opts.ReadyFile != "" {
		base := "http://" + listener.Addr().String()
		b, err := json.Marshal(reference.Announcement{URL: base, MCP: base + "/mcp"})
		if err == nil {
			err = atomicfile.WriteFile(opts.ReadyFile, append(b, '\n'), 0o644)
		}

		if err != nil {
			_ = server.Close()
			return fmt.Errorf("write the ready file: %w", err)
		}
	}

	select {
	case err := <-ended:
		return fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
		_ = server.Close()
		return nil
	}
}

func newClient(ctx context.Context, opts Options) (*client, error) {
	if !slices.Contains(Rankings(), opts.Rank) {
		return nil, fmt.Errorf("unknown --rank %q: use %s", opts.Rank, strings.Join(Rankings(), ", "))
	}

	if opts.Rank == RankDense && opts.Model == nil {
		return nil, errors.New("--rank dense requires a sentence model or an embeddings service: give --model DIR, " +
			"or --embeddings-url and --embeddings-model")
	}

	tools, err := readTools(ctx, opts.Config.Upstreams)
	if err != nil {
		return nil, err
	}

	ranker, err := newRanker(ctx, opts.Rank, tools, opts.Model)
	return &client{tools, ranker}, err
}

// maxLimit is the maximum number of tools in one answer.
const maxLimit = 100

// search answers a query with at most limit tools.
func (c *client) search(ctx context.Context, query string, limit int) (contracts.SearchAnswer, error) {
	answer := contracts.SearchAnswer{Query: query, Tools: []contracts.SearchHit{}}
	if query == "" || limit < 1 || limit > maxLimit {
		return answer, fmt.Errorf("give a query, and a limit of 1 to %d", maxLimit)
	}

	list, err := c.ranker.rank(ctx, query)
	if err != nil {
		return answer, err
	}

	answer.Total = len(list)
	for _, r := range list[:min(limit, len(list))] {
		t := c.tools[r.tool]
		answer.Tools = append(answer.Tools, contracts.SearchHit{
			Name: t.id, Server: t.server, Description: t.description, InputSchema: t.schema, Score: r.score,
		})
	}

	return answer, nil
}

func (c *client) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/v1/status", func(w http.ResponseWriter, _ *http.Request) {
		reply(w, reference.Status{State: reference.Ready, Expected: len(c.tools), Indexed: len(c.tools)}, nil)
	})
	mux.HandleFunc("GET /api/v1/tools", func(w http.ResponseWriter, _ *http.Request) {
		list := reference.ToolList{Tools: []reference.ToolInfo{}, Total: len(c.tools)}
		for _, t := range c.tools {
			list.Tools = append(list.Tools, reference.ToolInfo{
				Name: t.id, Server: t.server, Tool: t.name, Description: t.description, InputSchema: t.schema,
				State: reference.StateIndexed, Approval: reference.ApprovalApproved,
			})
		}

		reply(w, list, nil)
	})
	mux.HandleFunc("GET /api/v1/index/search", func(w http.ResponseWriter, r *http.Request) {
		limit, err := strconv.Atoi(r.URL.Query().Get("limit"))
		if err != nil {
			limit = 10
		}

		answer, err := c.search(r.Context(), r.URL.Query().Get("q"), limit)
		reply(w, answer, err)
	})
	server := mcp.NewServer(&mcp.Implementation{Name: "touchstone-direct", Version: "1"}, nil)
	type arguments struct {
		Query string `json:"query" jsonschema:"what is to be done"`
		Limit int    `json:"limit" jsonschema:"how many tools to return at most"`
	}
	mcp.AddTool(server, &mcp.Tool{Name: "retrieve_tools", Description: "Find tools among those of all servers."},
		func(ctx context.Context, _ *mcp.CallToolRequest, args arguments) (*mcp.CallToolResult, any, error) {
			answer, err := c.search(ctx, args.Query, args.Limit)
			if err != nil {
				return nil, nil, err
			}

			text, err := json.Marshal(answer)
			if err != nil {
				return nil, nil, err
			}

			return &mcp.CallToolResult{
				Content: []mcp.Content{&mcp.TextContent{Text: string(text)}}, StructuredContent: json.RawMessage(text),
			}, nil, nil
		})
	mux.Handle("/mcp", mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server },
		&mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true}))
	return http.NewCrossOriginProtection().Handler(mux)
}

// reply writes v, or err as an error.
func reply(w http.ResponseWriter, v any, err error) {
	w.Header().Set("Content-Type", "application/json")
	if err != nil {
		w.WriteHeader(http.StatusInternalServerError)
		v = map[string]string{"error": err.Error()}
	}
	if encoded := json.NewEncoder(w).Encode(v); encoded != nil && !errors.Is(encoded, http.ErrHandlerTimeout) {
		return // the client has disconnected
	}
}
