package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/touchstone-eval/touchstone/internal/selection"
	"github.com/touchstone-eval/touchstone/internal/selection/runner"
	"github.com/touchstone-eval/touchstone/internal/selection/score"
	"github.com/touchstone-eval/touchstone/internal/selection/store"
)

// Bounds of what one call starts, and of how long it waits.
const (
	maxRuns    = 1000
	maxRepeats = 20
	maxWait    = 300
)

type startInput struct {
	Cases   []string `json:"case_ids,omitempty" jsonschema:"ids or names of the cases to run"`
	Tag     string   `json:"tag,omitempty" jsonschema:"instead of case_ids: the tag of the cases to run"`
	Models  []string `json:"models" jsonschema:"the models to ask, as list_models returns them"`
	Repeats int      `json:"repeats,omitempty" jsonschema:"how often each case is put to each model, once if absent"`
	Label   string   `json:"label,omitempty" jsonschema:"a name for the batch"`
	Wait    int      `json:"wait_seconds,omitempty" jsonschema:"how long to wait for the runs to end before returning, 0 if absent"`
}

type startOutput struct {
	Batch string    `json:"batch_id"`
	Ended bool      `json:"ended" jsonschema:"whether all runs have ended"`
	Runs  []runView `json:"runs"`
}

func (s *Server) addRuns() {
	add(s, "start_runs", "Start runs", "Puts test cases to models and returns the runs of the new batch. Without a "+
		"wait the runs go on in the background.",
		effect{writes: true, outside: true},
		map[string]func(*jsonschema.Schema){"repeats": between(1, maxRepeats), "wait_seconds": between(0, maxWait)},
		s.start)
	add(s, "get_run", "Get a run", "Returns one run with its case, the tools on offer, the judgement, the reasons, "+
		"and what became of each parameter.",
		effect{}, nil, s.run)
	add(s, "cancel_run", "Cancel a run", "Ends a pending or running run that this server started.",
		effect{writes: true, deletes: true}, nil, func(ctx context.Context, in runInput) (runView, error) {
			r, err := s.executor(ctx)
			if err != nil {
				return runView{}, err
			}

			if err := r.Cancel(ctx, in.ID); err != nil {
				return runView{}, err
			}

			run, err := s.Store.Run(ctx, in.ID)
			return viewRun(run), err
		})
}

func (s *Server) modelNames() []string {
	names := slices.Sorted(maps.Keys(s.Models))
	if names == nil {
		names = []string{}
	}
	return names
}

func (s *Server) start(ctx context.Context, in startInput) (startOutput, error) {
	out := startOutput{Runs: []runView{}}
	settings, err := s.settings(in.Models)
	if err != nil {
		return out, err
	}

	cases, err := s.cases(ctx, in)
	if err != nil {
		return out, err
	}

	if n := len(cases) * len(settings) * max(1, in.Repeats); n > maxRuns {
		return out, fmt.Errorf("these are %d runs, and one call starts %d at most: name fewer cases", n, maxRuns)
	}

	r, err := s.executor(ctx)
	if err != nil {
		return out, err
	}

	batch, ids, err := r.Start(ctx,
		runner.Batch{Label: in.Label, CaseIDs: cases, Settings: settings, Repeats: in.Repeats})
	if err != nil {
		return out, err
	}

	out.Batch = batch
	if in.Wait > 0 {
		within, cancel := context.WithTimeout(ctx, time.Duration(in.Wait)*time.Second)
		defer cancel()
		if err := r.Wait(within, ids); err != nil && ctx.Err() != nil {
			return out, ctx.Err()
		}
	}

	out.Ended = true
	for _, id := range ids {
		run, err := s.Store.Run(ctx, id)
		if err != nil {
			return out, err
		}

		out.Ended = out.Ended && run.Ended()
		out.Runs = append(out.Runs, viewRun(run))
	}

	return out, nil
}

func (s *Server) settings(names []string) ([]selection.Settings, error) {
	var list []selection.Settings
	for _, name := range names {
		m, ok := s.Models[name]
		if !ok {
			return nil, fmt.Errorf("model %q is not allowed: choose from %s, or ask the user to start touchstone "+
				"eval mcp with --model", name, strings.Join(s.modelNames(), ", "))
		}
		list = append(list, m)
	}
	return list, nil
}

func (s *Server) cases(ctx context.Context, in startInput) ([]string, error) {
	if (in.Tag != "") == (len(in.Cases) > 0) {
		return nil, errors.New("give either case_ids or tag")
	}

	if in.Tag == "" {
		return in.Cases, nil
	}

	var ids []string
	for {
		items, total, err := s.Store.Cases(ctx,
			store.CaseFilter{Tag: in.Tag, Page: store.Page{Limit: store.MaxPage, Offset: len(ids)}})
		if err != nil {
			return nil, err
		}

		for _, c := range items {
			ids = append(ids, c.ID)
		}

		switch {
		case total == 0:
			return nil, fmt.Errorf("no case has the tag %q: see list_cases", in.Tag)
		case len(items) == 0 || len(ids) >= total:
			return ids, nil
		}
	}
}

type runInput struct {
	ID string `json:"run_id" jsonschema:"the id of the run"`
}

type resultView struct {
	Correct         bool                       `json:"tool_selection_correct"`
	Completeness    *float64                   `json:"parameter_completeness"`
	Correctness     *float64                   `json:"parameter_correctness"`
	Conformance     *float64                   `json:"parameter_type_conformance"`
	Hallucinated    []string                   `json:"hallucinated_parameters"`
	Confidence      *float64                   `json:"confidence"`
	Category        string                     `json:"confidence_category,omitempty" jsonschema:"robust, needs_clarity or misleading"`
	Reasoning       string                     `json:"reasoning"`
	Recommendations []selection.Recommendation `json:"recommendations"`
	Parameters      []parameterView            `json:"parameters" jsonschema:"what became of each parameter, or of the parts of its value that differ"`
}

type parameterView struct {
	Path     string `json:"path" jsonschema:"JSON Pointer into the parameters of the call"`
	State    string `json:"state" jsonschema:"equal, defaulted, different, missing, additional or invented"`
	Expected any    `json:"expected,omitempty"`
	Actual   any    `json:"actual,omitempty"`
}

type runOutput struct {
	Run    runView     `json:"run"`
	Case   caseView    `json:"case"`
	Tools  []string    `json:"offered_tools" jsonschema:"server:tool, in the order of the offer"`
	Called []callView  `json:"calls"`
	Result *resultView `json:"result" jsonschema:"null where the run was not completed"`
}

func (s *Server) run(ctx context.Context, in runInput) (out runOutput, err error) {
	out.Tools, out.Called = []string{}, []callView{}
	run, err := s.Store.Run(ctx, in.ID)
	if err != nil {
		return out, err
	}

	c, err := s.Store.Case(ctx, run.CaseID)
	if err != nil {
		return out, err
	}

	tools, err := s.Store.Tools(ctx, in.ID)
	if err != nil {
		return out, err
	}

	for _, t := range tools {
		out.Tools = append(out.Tools, t.Server+":"+t.Name)
	}

	out.Run, out.Case = viewRun(run), viewCase(c)
	if run.Status != selection.Completed {
		return out, nil
	}

	e, err := s.Store.Result(ctx, in.ID)
	if err != nil {
		return out, err
	}

	out.Result = &resultView{
		e.ToolSelectionCorrect, e.ParameterCompleteness, e.ParameterCorrectness, e.ParameterConformance,
		e.HallucinatedParameters,
		run.Confidence, string(e.ConfidenceCategory), e.Reasoning, e.Recommendations, []parameterView{},
	}
	diff, err := s.Store.Diff(ctx, in.ID)
	if err != nil {
		return out, err
	}

	for _, call := range diff.Calls {
		out.add(call)
	}

	return out, nil
}

// add adds a call that was made, and what became of its parameters.
func (o *runOutput) add(d score.CallDiff) {
	if m := d.Made; m != nil {
		name := m.Tool
		if m.Unknown != "" {
			name = m.Unknown
		}

		o.Called = append(o.Called, callView{m.Server, name, value(m.Parameters)})
	}

	for _, p := range d.Parameters {
		if len(p.Changes) == 0 {
			o.Result.Parameters = append(o.Result.Parameters,
				parameterView{score.Pointer(p.Name), string(p.State), value(p.Expected), value(p.Actual)})
		}

		for _, x := range p.Changes {
			o.Result.Parameters = append(o.Result.Parameters,
				parameterView{x.Path, string(x.State), value(x.Expected), value(x.Actual)})
		}
	}
}
