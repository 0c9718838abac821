package mcpserver

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/touchstone-eval/touchstone/internal/selection"
	"github.com/touchstone-eval/touchstone/internal/selection/score"
	"github.com/touchstone-eval/touchstone/internal/selection/store"
)

// serverView is a registered MCP server.
type serverView struct {
	Name      string `json:"name"`
	Transport string `json:"transport"`
	Status    string `json:"status" jsonschema:"active, failed, or inactive where it was never contacted"`
}

type callView struct {
	Server     string `json:"server,omitempty"`
	Tool       string `json:"tool"`
	Parameters any    `json:"parameters,omitempty"`
}

type caseView struct {
	ID       string     `json:"id"`
	Name     string     `json:"name"`
	Query    string     `json:"query"`
	Servers  []string   `json:"servers" jsonschema:"the servers whose tools are offered to the model"`
	Expected []callView `json:"expected" jsonschema:"the calls that are expected; none where no tool fits"`
	Tags     []string   `json:"tags"`
}

func viewCase(c selection.Case) caseView {
	v := caseView{ID: c.ID, Name: c.Name, Query: c.Query, Servers: c.Servers, Expected: []callView{},
		Tags: append([]string{}, c.Tags...)}
	for _, call := range c.Expected {
		v.Expected = append(v.Expected, callView{call.Server, call.Tool, value(call.Parameters)})
	}
	return v
}

type runView struct {
	ID             string `json:"id"`
	CaseID         string `json:"case_id"`
	BatchID        string `json:"batch_id"`
	Model          string `json:"model" jsonschema:"provider/model"`
	Status         string `json:"status" jsonschema:"pending, running, completed or failed"`
	Classification string `json:"classification,omitempty" jsonschema:"TP, FP, TN or FN"`
	Selected       string `json:"selected,omitempty" jsonschema:"what the model selected, server:tool or no tool"`
	Error          string `json:"error,omitempty"`
	ImportedFrom   string `json:"imported_from,omitempty" jsonschema:"the other program that executed the run, if one did"`
}

func viewRun(r selection.Run) runView {
	v := runView{
		ID: r.ID, CaseID: r.CaseID, BatchID: r.BatchID, Model: r.Settings.Provider + "/" + r.Settings.Model,
		Status: string(r.Status), Classification: string(r.Classification), Error: r.Error,
	}
	if r.Status == selection.Completed {
		v.Selected = score.Selects(r.Selected)
	}
	if r.Imported != nil {
		v.ImportedFrom = r.Imported.From
	}
	return v
}

type casesInput struct {
	Paging
	Tag    string `json:"tag,omitempty" jsonschema:"return only cases with this tag"`
	Search string `json:"search,omitempty" jsonschema:"return only cases whose name or query contains this text"`
}

type runsInput struct {
	Paging
	Batch          string `json:"batch_id,omitempty" jsonschema:"return only runs of this batch"`
	Case           string `json:"case_id,omitempty" jsonschema:"return only runs of this case"`
	Status         string `json:"status,omitempty" jsonschema:"return only runs with this status"`
	Classification string `json:"classification,omitempty" jsonschema:"return only runs with this classification"`
	Model          string `json:"model,omitempty" jsonschema:"return only runs of this model, as provider/model"`
}

func (s *Server) addLists() {
	add(s, "list_servers", "List MCP servers", "Returns the MCP servers that are registered for evaluation, by name.",
		effect{}, paged(nil),
		func(ctx context.Context, in Paging) (Listing[serverView], error) {
			items, total, err := s.Store.Servers(ctx, store.ServerFilter{Page: in.page()})
			return listing(items, total, func(x selection.Server) serverView {
				return serverView{x.Name, string(x.Transport), string(x.Status)}
			}), err
		})
	add(s, "list_cases", "List cases", "Returns test cases: a query, the servers on offer, and the expected calls.",
		effect{}, paged(nil),
		func(ctx context.Context, in casesInput) (Listing[caseView], error) {
			items, total, err := s.Store.Cases(ctx, store.CaseFilter{Tag: in.Tag, Search: in.Search, Page: in.page()})
			return listing(items, total, viewCase), err
		})
	add(s, "list_runs", "List runs", "Returns runs, the newest first, with their status and classification.", effect{},
		paged(map[string]func(*jsonschema.Schema){
			"status":         oneOf("pending", "running", "completed", "failed"),
			"classification": oneOf("TP", "FP", "TN", "FN"),
		}), func(ctx context.Context, in runsInput) (Listing[runView], error) {
			provider, name, slash := strings.Cut(in.Model, "/")
			if in.Model != "" && !slash {
				return Listing[runView]{}, fmt.Errorf("%q is no provider/model: write it as lexical/bm25", in.Model)
			}

			items, total, err := s.Store.Runs(ctx, store.RunFilter{
				BatchID: in.Batch, CaseID: in.Case, Status: selection.RunStatus(in.Status),
				Classification: selection.Classification(in.Classification), Provider: provider, Model: name,
				Page: in.page(),
			})
			return listing(items, total, viewRun), err
		})
	add(s, "list_models", "List models", "Returns the models that start_runs accepts.", effect{}, nil,
		func(context.Context, struct{}) (Listing[string], error) {
			names := s.modelNames()
			return Listing[string]{names, len(names)}, nil
		})
	add(s, "summarize_runs", "Summarize runs",
		"Returns accuracy, wrong-tool rate, parameter accuracy and other figures of ended runs, for each model, "+
			"with 95% intervals.", effect{}, nil,
		func(ctx context.Context, in struct {
			Batch string `json:"batch_id,omitempty" jsonschema:"count only runs of this batch"`
			Tag   string `json:"tag,omitempty" jsonschema:"count only runs of cases with this tag"`
		}) (Listing[score.Group], error) {
			o, err := s.Store.Observations(ctx, store.RunFilter{BatchID: in.Batch, Tag: in.Tag})
			groups := score.By(o, score.ByModel)
			return listing(groups, len(groups), func(g score.Group) score.Group { return g }), err
		})
}
