package store

import (
	"context"

	"github.com/touchstone-eval/touchstone/internal/selection"
	"github.com/touchstone-eval/touchstone/internal/selection/score"
)

// RunDiff compares the calls of a completed run with those that its case
// expects.
type RunDiff struct {
	Calls []score.CallDiff `json:"calls"`
	// CaseChanged is set if the case was edited after the run was created: the
	// scores of the run are those of the earlier version.
	CaseChanged bool `json:"case_changed,omitempty"`
}

// Diff compares the calls of a run with the present version of its case. A run
// that was not completed has no calls.
func (s *Store) Diff(ctx context.Context, runID string) (RunDiff, error) {
	d := RunDiff{Calls: []score.CallDiff{}}
	run, err := s.Run(ctx, runID)
	if err != nil || run.Status != selection.Completed {
		return d, err
	}

	c, err := s.Case(ctx, run.CaseID)
	if err != nil {
		return d, err
	}

	at := run.CreatedAt
	if run.Imported != nil { // it was judged when it was imported
		b, err := s.Batch(ctx, run.BatchID)
		if err != nil {
			return d, err
		}

		at = b.CreatedAt
	}

	d.CaseChanged = c.UpdatedAt.After(at)
	tools, err := s.Tools(ctx, runID)
	if err != nil {
		return d, err
	}

	calls, err := s.Calls(ctx, runID)
	if err != nil {
		return d, err
	}

	result, err := s.Result(ctx, runID)
	if err != nil {
		return d, err
	}

	made, judged := paired(c, tools, run, calls)
	d.Calls, err = score.Diff(c, tools, made, judged, result.Judged)
	return d, err
}

// paired returns the calls of a run, paired with the expected calls.
func paired(c selection.Case, tools []selection.Tool, run selection.Run, calls []Call) ([]selection.MadeCall, []selection.JudgedCall) {
	var made []selection.MadeCall
	if len(calls) == 0 {
		if run.Selected != nil {
			made = append(made, *run.Selected)
		}

		_, judged := score.Match(c, tools, made)
		return made, judged
	}

	var judged []selection.JudgedCall
	for _, call := range calls {
		j := selection.JudgedCall{Expected: call.Expected - 1, Made: -1, Classification: call.Classification,
			Alternative: call.Alternative, Forbidden: call.Forbidden}
		if call.Made != nil {
			j.Made = len(made)
			made = append(made, *call.Made)
		}

		judged = append(judged, j)
	}

	return made, judged
}
