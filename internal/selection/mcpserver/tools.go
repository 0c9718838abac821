package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/touchstone-eval/touchstone/internal/base/safetext"
	scaninput "github.com/touchstone-eval/touchstone/internal/scan/input"
	"github.com/touchstone-eval/touchstone/internal/scan/report"
	"github.com/touchstone-eval/touchstone/internal/selection"
	"github.com/touchstone-eval/touchstone/internal/selection/advice"
	"github.com/touchstone-eval/touchstone/internal/selection/similarity"
	"github.com/touchstone-eval/touchstone/internal/selection/similarity/gather"
	"github.com/touchstone-eval/touchstone/internal/selection/store"
	"github.com/touchstone-eval/touchstone/scanner"
)

// Source names the tools of a call: those of registered servers, or the tools
// themselves.
type Source struct {
	Servers []serverRef `json:"servers,omitempty" jsonschema:"names of registered servers, as list_servers returns them, or servers with their tools; not both"`
	Tools   []givenTool `json:"tools,omitempty" jsonschema:"instead of servers: the tool definitions"`
}

// serverRef is the name of a registered server, or a server with its tools.
type serverRef struct {
	Name  string
	Tools []givenTool // nil for a registered server
}

// refBody is a server with its tools, as in the server_list of the REST API.
type refBody struct {
	Name        string      `json:"name"`
	Description string      `json:"description,omitempty"`
	URL         string      `json:"url,omitempty"`
	Tools       []givenTool `json:"tools"`
}

// UnmarshalJSON reads a name, or an object with a name and tools.
func (r *serverRef) UnmarshalJSON(text []byte) error {
	if json.Unmarshal(text, &r.Name) == nil {
		return nil
	}

	var body refBody
	if err := json.Unmarshal(text, &body); err != nil {
		return err
	}

	r.Name, r.Tools = body.Name, append([]givenTool{}, body.Tools...)
	for i := range r.Tools {
		r.Tools[i].Server = body.Name
	}

	return nil
}

// sourceLimits are the limits of the members of a Source. A server is written in two
// ways.
func sourceLimits(limits map[string]func(*jsonschema.Schema)) map[string]func(*jsonschema.Schema) {
	if limits == nil {
		limits = map[string]func(*jsonschema.Schema){}
	}

	limits["servers"] = func(s *jsonschema.Schema) {
		body, err := jsonschema.For[refBody](nil)
		if err != nil {
			panic(err) // a type without a schema: a bug in this package
		}

		least := 1
		body.Properties["tools"].MinItems = &least
		s.Items = &jsonschema.Schema{OneOf: []*jsonschema.Schema{{Type: "string"}, body}}
	}
	return limits
}

// split divides a source into the names of registered servers, and the tools that it
// has itself.
func (s Source) split() (names []string, tools []givenTool) {
	tools = s.Tools
	for _, ref := range s.Servers {
		if ref.Tools == nil {
			names = append(names, ref.Name)
		}

		tools = append(tools, ref.Tools...)
	}
	return names, tools
}

type givenTool struct {
	Server      string         `json:"server,omitempty" jsonschema:"the server of the tool, given if absent"`
	Name        string         `json:"name"`
	Description string         `json:"description,omitempty"`
	InputSchema map[string]any `json:"input_schema,omitempty" jsonschema:"the JSON Schema of the tool's input"`
}

type similarInput struct {
	Source
	Method          string   `json:"method,omitempty" jsonschema:"how texts are compared; embedding where this server has a sentence model, else tfidf"`
	Threshold       *float64 `json:"threshold,omitempty" jsonschema:"the least similarity of a pair that is returned, 0 to 1; if absent 0.85 for embedding and 0.4 for the other methods"`
	Recommendations bool     `json:"include_recommendations,omitempty" jsonschema:"also return how to tell the tools of each pair apart"`
}

type similarOutput struct {
	Tools           int                         `json:"tools" jsonschema:"how many tools were compared"`
	Method          string                      `json:"method"`
	Threshold       float64                     `json:"threshold"`
	Pairs           []similarity.Pair           `json:"pairs" jsonschema:"the most similar first"`
	Total           int                         `json:"total" jsonschema:"how many pairs reach the threshold; 200 are returned at most"`
	Recommendations []similarity.Recommendation `json:"recommendations"`
}

// maxPairs bounds an answer that an agent has to read.
const maxPairs = 200

type serverInput struct {
	Server string `json:"server" jsonschema:"the name of a registered server"`
}

type findingView struct {
	Server   string   `json:"server"`
	Tool     string   `json:"tool"`
	Severity string   `json:"severity" jsonschema:"low, medium, high or critical"`
	Action   string   `json:"action" jsonschema:"what to do with the tool"`
	Checks   []string `json:"checks" jsonschema:"the ids of the checks that found something"`
	Details  []string `json:"details"`
}

type scanOutput struct {
	Tools     int           `json:"tools" jsonschema:"how many tools were scanned"`
	Findings  []findingView `json:"findings" jsonschema:"the most severe first"`
	RiskScore int           `json:"risk_score" jsonschema:"0 to 100"`
}

type qualityOutput struct {
	Server string                `json:"server"`
	Tools  []advice.ToolFindings `json:"tools"`
}

func (s *Server) addTools() {
	add(s, "find_similar_tools", "Find similar tools",
		"Compares tools pair by pair and returns the pairs that a model may confuse.",
		effect{outside: true}, sourceLimits(map[string]func(*jsonschema.Schema){
			"method": oneOf("embedding", "tfidf", "description_overlap"), "threshold": between(0, 1),
		}), s.similar)
	add(s, "check_tool_quality", "Check tool quality",
		"Checks what of the names, descriptions and schemas of a registered server's tools can keep a model from the "+
			"right choice, and which cases went wrong with each tool.",
		effect{outside: true}, nil, func(ctx context.Context, in serverInput) (qualityOutput, error) {
			tools, err := s.list(ctx, in.Server)
			if err != nil {
				return qualityOutput{}, err
			}

			observations, err := s.Store.Observations(ctx, store.RunFilter{})
			checked := advice.Check(tools, tools)
			advice.SetWrong(checked, observations)
			return qualityOutput{Server: in.Server, Tools: checked}, err
		})
	add(s, "scan_tools", "Scan tool definitions",
		"Scans tool definitions for signs of tool poisoning and returns the findings. The scan is offline and "+
			"deterministic.",
		effect{outside: true}, sourceLimits(nil), s.scan)
}

// list asks a registered server for its tools.
func (s *Server) list(ctx context.Context, name string) ([]selection.Tool, error) {
	server, err := s.Store.ServerNamed(ctx, name)
	if err != nil {
		return nil, err
	}
	tools, err := s.Live.List(ctx, server)
	if err != nil {
		return nil, &gather.ListError{Server: name, Err: err}
	}
	return tools, nil
}

// definition is a given tool as the rooms below take it.
func (t givenTool) definition() (selection.Tool, error) {
	tool := selection.Tool{Server: t.Server, Name: t.Name, Description: t.Description,
		InputSchema: json.RawMessage("{}")}
	if t.Name == "" {
		return tool, errors.New("a tool has no name: give each tool one")
	}

	if t.Server == "" {
		tool.Server = "given"
	}

	if t.InputSchema == nil {
		return tool, nil
	}

	var err error
	if tool.InputSchema, err = json.Marshal(t.InputSchema); err != nil {
		return tool, fmt.Errorf("the input schema of tool %q: %w", t.Name, err)
	}

	return tool, nil
}

func (s *Server) similar(ctx context.Context, in similarInput) (similarOutput, error) {
	out := similarOutput{Pairs: []similarity.Pair{}, Recommendations: []similarity.Recommendation{}}
	o := similarity.Options{Method: similarity.Method(in.Method), Encoder: s.Encoder}
	switch {
	case in.Method == "" && s.Encoder != nil:
		o.Method = similarity.Embedding
	case in.Method == "":
		o.Method = similarity.TFIDF
	case o.Method == similarity.Embedding && s.Encoder == nil:
		return out, errors.New("this server has no sentence model: use the method tfidf, or ask the user to start " +
			"touchstone eval mcp with --embeddings")
	}

	o.Threshold = o.Method.DefaultThreshold()
	if in.Threshold != nil {
		o.Threshold = *in.Threshold
	}

	var source gather.Source
	names, given := in.split()
	for _, name := range names {
		server, err := s.Store.ServerNamed(ctx, name)
		if err != nil {
			return out, err
		}

		source.Servers = append(source.Servers, server)
	}

	for _, t := range given {
		tool, err := t.definition()
		if err != nil {
			return out, err
		}

		source.Given = append(source.Given, gather.Tool(tool))
	}

	tools, err := gather.Tools(ctx, s.Live, source)
	if err != nil {
		return out, err
	}

	// Recommendations are for the pairs that are returned.
	a, err := similarity.Analyze(ctx, tools, o)
	if err != nil {
		return out, err
	}

	out.Tools, out.Method, out.Threshold, out.Total = len(tools), string(a.Method), a.Threshold, len(a.Flagged)
	out.Pairs = append(out.Pairs, a.Flagged[:min(maxPairs, len(a.Flagged))]...)
	if in.Recommendations {
		out.Recommendations = append(out.Recommendations, similarity.Recommend(tools, out.Pairs)...)
	}

	return out, nil
}

func (s *Server) scan(ctx context.Context, in Source) (scanOutput, error) {
	out := scanOutput{Findings: []findingView{}}
	if (len(in.Servers) > 0) == (len(in.Tools) > 0) {
		return out, errors.New("give either servers or tools")
	}

	var tools []selection.Tool
	names, given := in.split()
	for _, name := range names {
		list, err := s.list(ctx, name)
		if err != nil {
			return out, err
		}

		tools = append(tools, list...)
	}

	for _, t := range given {
		tool, err := t.definition()
		if err != nil {
			return out, err
		}

		tools = append(tools, tool)
	}

	input := &scaninput.Input{}
	for _, t := range tools {
		input.Tools = append(input.Tools, scaninput.Tool{Tool: scanner.Tool{
			Server: t.Server, Name: t.Name, Description: t.Description, InputSchema: t.InputSchema,
			OutputSchema: t.OutputSchema,
		}})
	}

	result, err := report.Judge(input, report.Options{})
	if err != nil {
		return out, err
	}

	if len(result.Incomplete) > 0 {
		i := result.Incomplete[0]
		return out, fmt.Errorf("some checks failed on tool %q of server %q: scan it with touchstone scan", i.Tool,
			i.Server)
	}

	out.Tools, out.RiskScore = len(tools), result.RiskScore
	for _, f := range result.Findings {
		v := findingView{f.Server, f.Tool, string(f.Severity), string(f.Action), f.CheckIDs(), []string{}}
		for _, signal := range f.Signals {
			v.Details = append(v.Details, safetext.Clip(signal.Detail, 300))
		}

		out.Findings = append(out.Findings, v)
	}

	return out, nil
}
