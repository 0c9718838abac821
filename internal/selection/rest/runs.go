package rest

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/touchstone-eval/touchstone/internal/selection"
	"github.com/touchstone-eval/touchstone/internal/selection/model"
	"github.com/touchstone-eval/touchstone/internal/selection/runner"
	"github.com/touchstone-eval/touchstone/internal/selection/store"
)

const runsPath = prefix + "/runs"

// RunFilter selects runs, in lists and summaries.
type RunFilter struct {
	Case           string    `query:"case" maxLength:"200" doc:"The id or the name of a case"`
	Batch          string    `query:"batch" maxLength:"200" doc:"The id or the label of a batch; of several batches with a label the newest is meant"`
	Status         string    `query:"status" enum:"pending,running,completed,failed"`
	Classification string    `query:"classification" enum:"TP,FP,TN,FN"`
	Model          string    `query:"model" maxLength:"201" doc:"provider/model, or a provider and a slash"`
	Server         string    `query:"server" maxLength:"100" doc:"A server that the case expects a call of"`
	Tool           string    `query:"tool" maxLength:"200" doc:"A tool that the case expects a call of; with a server, of the same call"`
	Tag            string    `query:"tag" maxLength:"100" doc:"A tag of the case"`
	Since          time.Time `query:"since" doc:"Created at this time or later"`
	Imported       string    `query:"imported" enum:"with,without,only" doc:"Whether runs that another program executed are selected. Default: in lists; in figures and results only if batch names their batch"`
}

func (f RunFilter) store() (store.RunFilter, error) {
	provider, name, slash := strings.Cut(f.Model, "/")
	if f.Model != "" && !slash {
		return store.RunFilter{}, errInvalid("a model is written as provider/model, such as ollama/qwen3:8b")
	}
	return store.RunFilter{
		Case: f.Case, BatchID: f.Batch, Status: selection.RunStatus(f.Status),
		Classification: selection.Classification(f.Classification),
		Provider:       provider, Model: name, Server: f.Server, Tool: f.Tool, Tag: f.Tag, Since: f.Since,
		Imported: store.ImportedRuns(f.Imported),
	}, nil
}

type runList struct {
	Conditional
	Paging
	RunFilter
	Sort string `query:"sort" enum:"created_at,-created_at" default:"-created_at"`
}

// WithKey is the input of a request that asks a model. The key goes to the runner
// and nowhere else.
type WithKey struct {
	Key string `header:"X-Model-API-Key" doc:"The API key of the model's provider, in place of that of the service's settings file. It is kept until the runs have ended, and never stored."`
}

// runsBody asks for a batch: each case with each model, so many times.
type runsBody struct {
	Cases   []string                    `json:"test_case_ids,omitempty" doc:"Ids or names of cases"`
	Tag     string                      `json:"tag,omitempty" maxLength:"100" doc:"Instead of ids: all cases with this tag"`
	Models  []selection.SettingsRequest `json:"models,omitempty" maxItems:"100" doc:"What is absent comes from the service's settings file, its environment or the defaults"`
	Repeats int                         `json:"repeats,omitempty" minimum:"1" maximum:"1000" default:"1"`
	Label   string                      `json:"label,omitempty" maxLength:"200" doc:"A name for the batch"`
}

// startedRuns names the runs that were created.
type startedRuns struct {
	BatchID string   `json:"batch_id"`
	RunIDs  []string `json:"run_ids"`
	Total   int      `json:"total"`
}

type started struct {
	Location string `header:"Location"`
	Body     startedRuns
}

// runResult is the judgement of a run.
type runResult struct {
	RunID string `json:"run_id"`
	selection.Evaluation
	Calls []store.Call  `json:"calls" doc:"The single calls, where several were expected or made"`
	Diff  store.RunDiff `json:"diff" doc:"The calls beside those that the case expects now, parameter by parameter"`
}

func (s *Service) addRuns() {
	tags := []string{"runs"}
	register(s, huma.Operation{
		OperationID: "list-runs", Method: http.MethodGet, Path: runsPath, Tags: tags, Summary: "List runs",
	}, func(ctx context.Context, in *runList) (*tagged[listPage[selection.Run]], error) {
		filter, err := in.store()
		if err != nil {
			return nil, err
		}

		filter.Page, filter.OldestFirst = in.page(), in.Sort == "created_at"
		items, total, err := s.Store.Runs(ctx, filter)
		if err != nil {
			return nil, err
		}

		return answer(in.Conditional, newListPage(items, total))
	})
	register(s, huma.Operation{
		OperationID: "start-runs", Method: http.MethodPost, Path: runsPath, Tags: tags,
		DefaultStatus: http.StatusAccepted,
		Summary:       "Start a run, or a batch of cases, models and repeats",
		Description: "The runs are executed in the background. A provider that needs a key and gets " +
			"none is refused at once.",
	}, s.startRuns)
	register(s, huma.Operation{
		OperationID: "get-run", Method: http.MethodGet, Path: runsPath + "/{id}", Tags: tags, Summary: "Read a run",
	}, func(ctx context.Context, in *byID) (*tagged[selection.Run], error) {
		run, err := s.Store.Run(ctx, in.ID)
		if err != nil {
			return nil, err
		}

		return answer(in.Conditional, run)
	})
	register(s, huma.Operation{
		OperationID: "delete-run", Method: http.MethodDelete, Path: runsPath + "/{id}", Tags: tags,
		DefaultStatus: http.StatusNoContent,
		Summary:       "Delete a run with its snapshot and result",
	}, func(ctx context.Context, in *byID) (*struct{}, error) {
		return nil, s.Store.DeleteRun(ctx, in.ID)
	})
	register(s, huma.Operation{
		OperationID: "get-result", Method: http.MethodGet, Path: runsPath + "/{id}/result", Tags: tags,
		Summary: "Read the judgement of a completed run",
	}, s.result)
	register(s, huma.Operation{
		OperationID: "get-tools", Method: http.MethodGet, Path: runsPath + "/{id}/tools", Tags: tags,
		Summary: "List the tools that a run offered to the model",
	}, func(ctx context.Context, in *byID) (*tagged[listPage[selection.Tool]], error) {
		if _, err := s.Store.Run(ctx, in.ID); err != nil {
			return nil, err
		}

		tools, err := s.Store.Tools(ctx, in.ID)
		if err != nil {
			return nil, err
		}

		return answer(in.Conditional, newListPage(tools, len(tools)))
	})
	register(s, huma.Operation{
		OperationID: "get-answer", Method: http.MethodGet, Path: runsPath + "/{id}/answer", Tags: tags,
		Summary:     "Read what the model said in a run",
		Description: "The texts and the provider's answer are bounded; a longer answer is cut off and says so.",
	}, s.said)
	register(s, huma.Operation{
		OperationID: "cancel-run", Method: http.MethodPost, Path: runsPath + "/{id}/cancel", Tags: tags,
		Summary: "Cancel a pending or running run", DefaultStatus: http.StatusOK,
	}, func(ctx context.Context, in *byID) (*tagged[selection.Run], error) {
		if err := s.Runner.Cancel(ctx, in.ID); err != nil {
			return nil, err
		}

		run, err := s.Store.Run(ctx, in.ID)
		if err != nil {
			return nil, err
		}

		return answer(Conditional{}, run)
	})
	register(s, huma.Operation{
		OperationID: "retry-run", Method: http.MethodPost, Path: runsPath + "/{id}/retry", Tags: tags,
		DefaultStatus: http.StatusAccepted,
		Summary:       "Execute an ended run again, as a new run of its batch",
	}, func(ctx context.Context, in *struct {
		ID string `path:"id" maxLength:"100"`
		WithKey
	}) (*started, error) {
		id, err := s.Runner.Retry(ctx, in.ID, model.NewKey(in.Key))
		if err != nil {
			return nil, err
		}

		run, err := s.Store.Run(ctx, id)
		if err != nil {
			return nil, err
		}

		return newStarted(run.BatchID, []string{id}), nil
	})
}

// saidBody is what a model said, and its provider's answer.
type saidBody struct {
	selection.Said
	Raw json.RawMessage `json:"raw,omitempty" doc:"The provider's answer"`
}

func (s *Service) said(ctx context.Context, in *byID) (*tagged[saidBody], error) {
	run, err := s.Store.Run(ctx, in.ID)
	if err != nil {
		return nil, err
	}

	var out saidBody
	if run.Said != nil {
		out.Said = *run.Said
	}

	if out.Raw, err = s.Store.Response(ctx, in.ID); err != nil {
		return nil, err
	}

	return answer(in.Conditional, out)
}

func (s *Service) startRuns(ctx context.Context, in *struct {
	WithKey
	Body runsBody
}) (*started, error) {
	ids := in.Body.Cases
	switch {
	case in.Body.Tag != "" && len(ids) > 0:
		return nil, errInvalid("test_case_ids and tag exclude each other: give one of them")
	case in.Body.Tag != "":
		cases, err := s.allCases(ctx, in.Body.Tag)
		if err != nil {
			return nil, err
		}

		for _, c := range cases {
			ids = append(ids, c.ID)
		}
	}

	requests := in.Body.Models
	if len(requests) == 0 {
		requests = []selection.SettingsRequest{{}}
	}

	var settings []selection.Settings
	for _, request := range requests {
		resolved, err := s.Models.Fill(request, s.getenv).Resolve(s.getenv)
		if err != nil {
			return nil, errInvalid(err.Error())
		}

		settings = append(settings, resolved)
	}

	batch, runs, err := s.Runner.Start(ctx, runner.Batch{
		Label: in.Body.Label, CaseIDs: ids, Settings: settings, Repeats: in.Body.Repeats, Key: model.NewKey(in.Key),
	})
	switch {
	case errors.Is(err, store.ErrNotFound): // of a case: the path is there
		return nil, errInvalid(err.Error())
	case err != nil:
		return nil, err
	}

	return newStarted(batch, runs), nil
}

func newStarted(batch string, runs []string) *started {
	out := &started{Location: runsPath + "?batch=" + batch,
		Body: startedRuns{BatchID: batch, RunIDs: runs, Total: len(runs)}}
	if len(runs) == 1 {
		out.Location = runsPath + "/" + runs[0]
	}
	return out
}

func (s *Service) result(ctx context.Context, in *byID) (*tagged[runResult], error) {
	run, err := s.Store.Run(ctx, in.ID)
	if err != nil {
		return nil, err
	}

	if run.Status != selection.Completed {
		return nil, huma.Error409Conflict("the run is " + string(run.Status) +
			" and has no result: only completed runs have one")
	}

	e, err := s.Store.Result(ctx, in.ID)
	if err != nil {
		return nil, err
	}

	calls, err := s.Store.Calls(ctx, in.ID)
	if err != nil {
		return nil, err
	}

	diff, err := s.Store.Diff(ctx, in.ID)
	if err != nil {
		return nil, err
	}

	return answer(in.Conditional, runResult{RunID: in.ID, Evaluation: e, Calls: calls, Diff: diff})
}
