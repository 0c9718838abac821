package rest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/touchstone-eval/touchstone/internal/base/safetext"
	"github.com/touchstone-eval/touchstone/internal/selection"
	"github.com/touchstone-eval/touchstone/internal/selection/similarity"
	"github.com/touchstone-eval/touchstone/internal/selection/similarity/gather"
	"github.com/touchstone-eval/touchstone/internal/selection/store"
)

const (
	analyzePath         = prefix + "/similarity/analyze"
	matrixPath          = prefix + "/similarity/matrix"
	recommendationsPath = prefix + "/similarity/recommendations"
)

// givenTool is a tool that the request holds.
type givenTool struct {
	Server      string          `json:"server,omitempty" maxLength:"100" default:"given"`
	Name        string          `json:"name" minLength:"1" maxLength:"200"`
	Description string          `json:"description,omitempty"`
	InputSchema json.RawMessage `json:"input_schema,omitempty"`
}

// ToolSource says which tools are compared. Exactly one list is given. It is
// exported as Conditional is.
type ToolSource struct {
	ServerList []ServerRef `json:"server_list,omitempty" doc:"Names of servers of this service, or servers with their tools; not both"`
	ToolList   []givenTool `json:"tool_list,omitempty" doc:"The tools themselves"`
	URLList    []string    `json:"url_list,omitempty" doc:"URLs of MCP servers"`
	ToolNames  []string    `json:"tool_names,omitempty" doc:"Only tools with these names or ids (server:name)"`
	Threshold  *float64    `json:"similarity_threshold,omitempty" minimum:"0" maximum:"1" doc:"Default: 0.85 for embedding, 0.4 for the other methods"`
}

// threshold returns the threshold of the request, or the default of a method.
func (t ToolSource) threshold(m similarity.Method) float64 {
	if t.Threshold != nil {
		return *t.Threshold
	}
	return m.DefaultThreshold()
}

// Comparing says how tools are compared. It is exported as Conditional is.
type Comparing struct {
	ToolSource
	Method string `json:"method,omitempty" enum:"embedding,description_overlap,tfidf" doc:"embedding where this service has a sentence model, else tfidf"`
	Full   bool   `json:"compute_full_similarity,omitempty" doc:"Compare parameters, too, in a second matrix"`
}

type analyzeBody struct {
	Comparing
	Recommendations bool `json:"include_recommendations,omitempty"`
}

// analyzed is the answer of analyze.
type analyzed struct {
	GeneratedAt time.Time `json:"generated_at"`
	*similarity.Analysis
}

// overlap is the answer of matrix.
type overlap struct {
	GeneratedAt time.Time `json:"generated_at"`
	*similarity.OverlapMatrix
	Semantic string `json:"semantic" enum:"embedding,tfidf" doc:"What the semantic part is computed with"`
}

// recommended is the answer of recommendations.
type recommended struct {
	GeneratedAt     time.Time                   `json:"generated_at"`
	Method          similarity.Method           `json:"method"`
	Threshold       float64                     `json:"threshold"`
	Recommendations []similarity.Recommendation `json:"recommendations"`
	Total           int                         `json:"total"`
}

type body[T any] struct{ Body T }

func (s *Service) addSimilarity() {
	tags := []string{"similarity"}
	register(s, huma.Operation{
		OperationID: "analyze-similarity", Method: http.MethodPost, Path: analyzePath, Tags: tags,
		Summary: "Compare tools pair by pair", DefaultStatus: http.StatusOK,
	}, func(ctx context.Context, in *body[analyzeBody]) (*body[analyzed], error) {
		a, err := s.analyze(ctx, in.Body.Comparing, in.Body.Recommendations)
		if err != nil {
			return nil, err
		}

		return &body[analyzed]{analyzed{s.now().UTC(), a}}, nil
	})
	register(s, huma.Operation{
		OperationID: "similarity-matrix", Method: http.MethodPost, Path: matrixPath, Tags: tags,
		DefaultStatus: http.StatusOK,
		Summary:       "Compute the overlap of tools' capabilities, in an order for a heat map",
	}, func(ctx context.Context, in *body[ToolSource]) (*body[overlap], error) {
		tools, err := s.tools(ctx, in.Body)
		if err != nil {
			return nil, err
		}

		s.comparing.Lock()
		defer s.comparing.Unlock()
		semantic := s.bestMethod()
		m, err := similarity.Overlap(ctx, tools, s.Encoder, in.Body.threshold(semantic))
		if err != nil {
			return nil, err
		}

		return &body[overlap]{overlap{s.now().UTC(), m, string(semantic)}}, nil
	})
	register(s, huma.Operation{
		OperationID: "similarity-recommendations", Method: http.MethodPost, Path: recommendationsPath, Tags: tags,
		DefaultStatus: http.StatusOK,
		Summary:       "Recommend how to tell similar tools apart",
	}, func(ctx context.Context, in *body[Comparing]) (*body[recommended], error) {
		a, err := s.analyze(ctx, in.Body, true)
		if err != nil {
			return nil, err
		}

		list := newListPage(a.Recommendations, len(a.Recommendations))
		return &body[recommended]{recommended{s.now().UTC(), a.Method, a.Threshold, list.Items, list.Total}}, nil
	})
}

// bestMethod returns the best method of this service.
func (s *Service) bestMethod() similarity.Method {
	if s.Encoder != nil {
		return similarity.Embedding
	}
	return similarity.TFIDF
}

func (s *Service) analyze(ctx context.Context, c Comparing, recommendations bool) (*similarity.Analysis, error) {
	method := similarity.Method(c.Method)
	switch {
	case method == "":
		method = s.bestMethod()
	case method == similarity.Embedding && s.Encoder == nil:
		return nil, errInvalid("this service has no sentence model: start it with --embeddings, " +
			"or use the method tfidf")
	}

	tools, err := s.tools(ctx, c.ToolSource)
	if err != nil {
		return nil, err
	}

	s.comparing.Lock()
	defer s.comparing.Unlock()
	return similarity.Analyze(ctx, tools, similarity.Options{
		Method: method, Threshold: c.threshold(method), Full: c.Full, Recommendations: recommendations,
		Encoder: s.Encoder,
	})
}

// tools gives the tools that a source names, ready to be compared.
func (s *Service) tools(ctx context.Context, source ToolSource) ([]similarity.Tool, error) {
	given := 0
	for _, n := range []int{len(source.ServerList), len(source.ToolList), len(source.URLList)} {
		if n > 0 {
			given++
		}
	}

	if given != 1 {
		return nil, errInvalid("give exactly one of server_list, tool_list and url_list, with at least one entry")
	}

	servers, err := s.sourceServers(ctx, source)
	if err != nil {
		return nil, err
	}

	var tools []similarity.Tool
	for _, t := range slices.Concat(source.ToolList, embedded(source.ServerList)) {
		tools = append(tools, similarity.Tool{
			ID: t.Server + ":" + t.Name, Server: t.Server, Name: t.Name, Description: t.Description,
			InputSchema: t.InputSchema,
		})
	}

	if len(tools) > 0 && len(servers) > 0 {
		return nil, errInvalid("server_list has names beside servers with their tools: give one kind in a request")
	}

	prepared, err := gather.Tools(ctx, s.Live, gather.Source{Servers: servers, Given: tools, Only: source.ToolNames})
	var unlisted *gather.ListError
	switch {
	case errors.As(err, &unlisted):
		return nil, notListed(unlisted.Server, unlisted.Err)
	case err != nil:
		return nil, errInvalid(err.Error())
	}

	return prepared, nil
}

// embedded gives the tools that servers of a request have with them.
func embedded(servers []ServerRef) []givenTool {
	var tools []givenTool
	for _, server := range servers {
		tools = append(tools, server.Tools...)
	}
	return tools
}

// sourceServers gives the servers that a source names or whose addresses it has.
func (s *Service) sourceServers(ctx context.Context, source ToolSource) ([]selection.Server, error) {
	if len(source.ServerList) > gather.MaxServers {
		return nil, errInvalid(fmt.Sprintf("more than %d servers cannot be compared at once: give fewer",
			gather.MaxServers))
	}

	var servers []selection.Server
	for _, ref := range source.ServerList {
		if ref.Tools != nil {
			continue
		}

		server, err := s.serverNamed(ctx, ref.Name)
		if err != nil {
			return nil, err
		}

		servers = append(servers, server)
	}

	for _, address := range source.URLList {
		if strings.Contains(address, "${") {
			return nil, errInvalid("url_list: an address has a reference, which a request may not give")
		}

		server, err := gather.ServerAt(address)
		if err != nil {
			return nil, errInvalid("url_list: " + err.Error())
		}

		servers = append(servers, server)
	}

	return servers, nil
}

// serverNamed finds a server that the request names, which is not its path.
func (s *Service) serverNamed(ctx context.Context, name string) (selection.Server, error) {
	server, err := s.Store.ServerNamed(ctx, name)
	if errors.Is(err, store.ErrNotFound) {
		err = errInvalid(err.Error())
	}
	return server, err
}

// listTools asks a server for its tools. A server that does not answer fails the
// request: leaving it out would give another result.
func (s *Service) listTools(ctx context.Context, server selection.Server) ([]selection.Tool, error) {
	tools, err := s.Live.List(ctx, server)
	if err != nil {
		return nil, notListed(server.Name, err)
	}
	return tools, nil
}

func notListed(server string, err error) error {
	return huma.Error502BadGateway(fmt.Sprintf("list the tools of server %q: %s", server,
		safetext.Clip(err.Error(), 500)))
}
