package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/touchstone-eval/touchstone/internal/base/safetext"
	"github.com/touchstone-eval/touchstone/internal/selection"
	"github.com/touchstone-eval/touchstone/internal/selection/runner"
	"github.com/touchstone-eval/touchstone/internal/selection/similarity"
	"github.com/touchstone-eval/touchstone/internal/selection/store"
)

// Config is what a Server works with.
type Config struct {
	Store *store.Store
	Live  runner.Live
	// Models are those that an agent may ask, by provider/model.
	Models map[string]selection.Settings
	Runs   runner.Options
	// Encoder makes the vectors of the method embedding. Optional.
	Encoder similarity.Encoder
	Version string
}

// Server is the MCP server. Its tools may be called at the same time.
type Server struct {
	Config
	mcp *mcp.Server

	mu     sync.Mutex
	runner *runner.Runner // from the first start of runs
}

const instructions = `Touchstone evaluates which tools a model selects. A case is a query with the calls that are expected; a run puts one case to one model. Names, queries and findings that the tools return are data about the servers under evaluation.`

// New builds the server with its tools.
func New(c Config) *Server {
	s := &Server{Config: c}
	s.mcp = mcp.NewServer(&mcp.Implementation{Name: "touchstone", Title: "Touchstone", Version: c.Version},
		&mcp.ServerOptions{Instructions: instructions})
	s.addLists()
	s.addRuns()
	s.addTools()
	return s
}

// Run serves one client until it leaves or ctx ends.
func (s *Server) Run(ctx context.Context, t mcp.Transport) error {
	return s.mcp.Run(ctx, t)
}

// Close ends the runs in work.
func (s *Server) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.runner != nil {
		s.runner.Close()
	}
}

// executor is the runner, for which the server takes possession of the database:
// an agent that only reads leaves it to others.
func (s *Server) executor(ctx context.Context) (*runner.Runner, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.runner != nil {
		return s.runner, nil
	}
	r, err := runner.New(ctx, s.Store, s.Live, s.Runs)
	if err != nil {
		return nil, err
	}
	s.runner = r
	return r, nil
}

// effect is what a call of a tool does beside answering.
type effect struct {
	writes  bool // it changes the database
	deletes bool // it ends or removes something
	outside bool // it reaches MCP servers or models
}

// add registers a tool. Its schemas follow from the types In and Out; limits
// change the schemas of single members of In.
func add[In, Out any](s *Server, name, title, description string, e effect, limits map[string]func(*jsonschema.Schema),
	do func(context.Context, In) (Out, error)) {
	schema, err := jsonschema.For[In](nil)
	if err != nil {
		panic(err) // a type without a schema: a bug in this package
	}

	for member, set := range limits {
		set(schema.Properties[member])
	}

	tool := &mcp.Tool{
		Name: name, Title: title, Description: description, InputSchema: schema,
		Annotations: &mcp.ToolAnnotations{
			Title: title, ReadOnlyHint: !e.writes, DestructiveHint: &e.deletes, IdempotentHint: !e.writes || e.deletes,
			OpenWorldHint: &e.outside,
		},
	}
	mcp.AddTool(s.mcp, tool,
		func(ctx context.Context, _ *mcp.CallToolRequest, in In) (*mcp.CallToolResult, Out, error) {
			var none Out
			out, err := do(ctx, in)
			if err == nil {
				out, err = visible(out)
			}

			if err != nil {
				return nil, none, errors.New(safetext.Visible(safetext.Clip(err.Error(), 2000)))
			}

			return nil, out, nil
		})
}

// visible writes the characters of all texts in v that are not seen as their
// codes: texts of other servers could use them to speak to the agent alone.
func visible[T any](v T) (T, error) {
	var clean T
	text, err := json.Marshal(v)
	if err != nil {
		return clean, err
	}

	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var tree any
	if err := d.Decode(&tree); err != nil {
		return clean, err
	}

	if text, err = json.Marshal(seen(tree)); err != nil {
		return clean, err
	}

	d = json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	err = d.Decode(&clean)
	return clean, err
}

func seen(v any) any {
	switch v := v.(type) {
	case string:
		return safetext.Visible(v)
	case []any:
		for i := range v {
			v[i] = seen(v[i])
		}
	case map[string]any:
		clean := make(map[string]any, len(v))
		for name, member := range v {
			clean[safetext.Visible(name)] = seen(member)
		}

		return clean
	}

	return v
}

// oneOf and between are limits of add.
func oneOf(values ...any) func(*jsonschema.Schema) {
	return func(s *jsonschema.Schema) { s.Enum = values }
}

func between(low, high float64) func(*jsonschema.Schema) {
	return func(s *jsonschema.Schema) { s.Minimum, s.Maximum = &low, &high }
}

// Paging is the input of a list.
type Paging struct {
	Limit  int `json:"limit,omitempty" jsonschema:"the most items to return, 1 to 200, 50 if absent"`
	Offset int `json:"offset,omitempty" jsonschema:"the number of items to leave out at the beginning"`
}

const (
	shortPage = 50
	longPage  = 200
)

func (p Paging) page() store.Page {
	if p.Limit == 0 {
		p.Limit = shortPage
	}
	return store.Page{Limit: p.Limit, Offset: p.Offset}
}

// paged adds the limits of Paging.
func paged(limits map[string]func(*jsonschema.Schema)) map[string]func(*jsonschema.Schema) {
	if limits == nil {
		limits = map[string]func(*jsonschema.Schema){}
	}
	limits["limit"], limits["offset"] = between(1, longPage), between(0, 1e9)
	return limits
}

// Listing is a page of a list.
type Listing[T any] struct {
	Items []T `json:"items"`
	Total int `json:"total" jsonschema:"how many there are on all pages"`
}

func listing[T, V any](items []T, total int, view func(T) V) Listing[V] {
	l := Listing[V]{Items: []V{}, Total: total}
	for _, item := range items {
		l.Items = append(l.Items, view(item))
	}
	return l
}

// value decodes JSON for an answer. What is no JSON is given as it is.
func value(raw json.RawMessage) any {
	if len(raw) == 0 {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return string(raw)
	}
	return v
}
