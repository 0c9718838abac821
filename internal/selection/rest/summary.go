package rest

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/touchstone-eval/touchstone/internal/selection"
	"github.com/touchstone-eval/touchstone/internal/selection/model"
	"github.com/touchstone-eval/touchstone/internal/selection/score"
	"github.com/touchstone-eval/touchstone/internal/selection/store"
)

// summary sums up runs, as a whole and by what they share.
type summary struct {
	Summary score.Summary `json:"summary"`
	Models  []score.Group `json:"models"`
	Servers []score.Group `json:"servers"`
	Tags    []score.Group `json:"tags"`
	Tools   []score.Group `json:"tools" doc:"By the expected tool"`
	// Confusion counts what was chosen for what was expected.
	Confusion []score.Confused `json:"confusion"`
}

// comparison is one of runs, and of the tools that they were offered.
type comparison struct {
	score.Comparison
	ToolChanges []store.ToolChange `json:"tool_changes" doc:"Tools whose definitions differ, from the snapshots of the runs"`
}

// runMatrix is a page of cases, each with its runs by model or by batch.
type runMatrix struct {
	listPage[store.MatrixRow]
	Batches []store.BatchName `json:"batches" doc:"The batches of all runs that the filter selects, the newest first, where they are the columns"`
	Models  []string          `json:"models" doc:"The models of all runs that the filter selects"`
}

// modelsInfo says which models can be asked for.
type modelsInfo struct {
	Providers []string           `json:"providers"`
	Defaults  selection.Settings `json:"defaults" doc:"The settings of a run that gives none. The provider and the model are empty unless the environment names them."`
}

func (s *Service) addSummaries() {
	register(s, huma.Operation{
		OperationID: "list-models", Method: http.MethodGet, Path: prefix + "/models", Tags: []string{"models"},
		Summary: "List the providers of models, and the defaults of their settings",
	}, func(_ context.Context, in *struct{ Conditional }) (*tagged[modelsInfo], error) {
		return answer(in.Conditional, modelsInfo{Providers: model.Providers(), Defaults: s.defaults()})
	})
	register(s, huma.Operation{
		OperationID: "choices", Method: http.MethodGet, Path: prefix + "/choices", Tags: []string{"metrics"},
		Summary: "List the expected servers and tools, the tags and the models by which cases and runs can be filtered",
	}, func(ctx context.Context, in *struct{ Conditional }) (*tagged[store.Choices], error) {
		choices, err := s.Store.Choices(ctx)
		if err != nil {
			return nil, err
		}

		return answer(in.Conditional, choices)
	})
	register(s, huma.Operation{
		OperationID: "summary", Method: http.MethodGet, Path: prefix + "/metrics/summary", Tags: []string{"metrics"},
		Summary: "Sum up runs",
		Description: "Cancelled runs and those that were retried are left out, and imported ones unless batch names " +
			"their batch or imported asks for them. Intervals are of 95%.",
	}, func(ctx context.Context, in *struct {
		Conditional
		RunFilter
	}) (*tagged[summary], error) {
		filter, err := in.store()
		if err != nil {
			return nil, err
		}

		o, err := s.Store.Observations(ctx, filter)
		if err != nil {
			return nil, err
		}

		return answer(in.Conditional, summary{
			Summary: score.Summarize(o), Models: score.By(o, score.ByModel), Servers: score.By(o, score.ByServer),
			Tags: score.By(o, score.ByTag), Tools: score.By(o, score.ByTool), Confusion: score.Confusion(o),
		})
	})
	register(s, huma.Operation{
		OperationID: "matrix", Method: http.MethodGet, Path: prefix + "/metrics/matrix", Tags: []string{"metrics"},
		Summary: "Count the runs of each case by model or by batch",
		Description: "A page holds cases, sorted by name. Runs that were retried are left out, and imported ones " +
			"unless batch names their batch or imported asks for them.",
	}, func(ctx context.Context, in *struct {
		Conditional
		Paging
		RunFilter
		Columns string `query:"columns" enum:"model,batch" default:"model"`
	}) (*tagged[runMatrix], error) {
		filter, err := in.store()
		if err != nil {
			return nil, err
		}

		filter.Page = in.page()
		m, err := s.Store.RunMatrix(ctx, filter, store.MatrixColumns(in.Columns))
		if err != nil {
			return nil, err
		}

		return answer(in.Conditional, runMatrix{newListPage(m.Rows, m.Total),
			append([]store.BatchName{}, m.Batches...), append([]string{}, m.Models...)})
	})
	register(s, huma.Operation{
		OperationID: "compare", Method: http.MethodGet, Path: prefix + "/metrics/compare", Tags: []string{"metrics"},
		Summary: "Compare two models or two batches on the cases that both have, with McNemar's exact test",
	}, func(ctx context.Context, in *struct {
		Conditional
		First  string `query:"first" required:"true" maxLength:"300" doc:"provider/model or batch:ID"`
		Second string `query:"second" required:"true" maxLength:"300" doc:"provider/model or batch:ID"`
	}) (*tagged[comparison], error) {
		var sides [2][]score.Observation
		var filters [2]store.RunFilter
		for i, name := range []string{in.First, in.Second} {
			var err error
			if sides[i], filters[i], err = s.side(ctx, name); err != nil {
				return nil, err
			}
		}

		changes, err := s.Store.ToolChanges(ctx, filters[0], filters[1])
		if err != nil {
			return nil, err
		}

		return answer(in.Conditional, comparison{score.Compare(sides[0], sides[1]), changes})
	})
}

// side gives the runs of one side of a comparison.
func (s *Service) side(ctx context.Context, name string) ([]score.Observation, store.RunFilter, error) {
	var filter store.RunFilter
	if id, ok := strings.CutPrefix(name, "batch:"); ok {
		filter.BatchID = id
	} else if filter.Provider, filter.Model, ok = strings.Cut(name, "/"); !ok {
		return nil, filter, errInvalid(fmt.Sprintf("%q is neither provider/model nor batch:ID", name))
	}
	o, err := s.Store.Observations(ctx, filter)
	if err == nil && len(o) == 0 {
		err = fmt.Errorf("%w: there are no ended runs of %q", store.ErrNotFound, name)
	}
	return o, filter, err
}

// defaults resolves the settings of an empty request. Where the environment names
// no model, stand-ins make the rest resolvable.
func (s *Service) defaults() selection.Settings {
	request := selection.SettingsRequest{}
	noProvider, noModel := s.getenv(selection.EnvProvider) == "", s.getenv(selection.EnvModel) == ""
	if noProvider {
		request.Provider = "lexical"
	}

	if noModel {
		request.Model = "none"
	}

	resolved, err := s.Models.Fill(request, s.getenv).Resolve(s.getenv)
	if err != nil {
		s.Log.Warn("the environment's settings of models are refused", "error", err)
		resolved = selection.Settings{Timeout: selection.DefaultTimeout, Temperature: selection.DefaultTemperature,
			MaxRetries: selection.DefaultMaxRetries, Confidence: selection.ConfidenceAuto}
	}

	if noProvider {
		resolved.Provider = ""
	}

	if noModel {
		resolved.Model = ""
	}

	return resolved
}
