//go:build !containers

package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/touchstone-eval/touchstone/internal/base/arguments"
	"github.com/touchstone-eval/touchstone/internal/base/safetext"
	"github.com/touchstone-eval/touchstone/internal/selection"
	"github.com/touchstone-eval/touchstone/internal/selection/advice/written"
	"github.com/touchstone-eval/touchstone/internal/selection/store"
)

// evalAdvice is what eval advise prints as JSON.
type evalAdvice struct {
	RunID           string                     `json:"run_id"`
	Recommendations []selection.Recommendation `json:"recommendations"`
	Model           string                     `json:"model"`
	FromModel       []selection.Recommendation `json:"from_model"`
}

func newEvalAdviseCommand(f *evalFlags) *cobra.Command {
	var name string
	var execution evalExecution
	cmd := &cobra.Command{
		Use:   "advise RUN --model PROVIDER/MODEL",
		Short: "Have a model write recommendations for a completed run",
		Long: `Have a model write recommendations for a completed run, and print them beside the
computed ones. The model gets the query, the tools on offer, the calls and the
judgement. What it writes may be wrong, differs from time to time, is marked as
written by a model, and is not stored.`,
		Example: `  touchstone eval advise 0198c1f0-6a5e-7bb1-a4c5-7d9f6a0b1c2d --model openai/gpt-4.1 --api-key env:OPENAI_API_KEY`,
		Args:    arguments.Exactly(1),
		RunE: f.withData(func(cmd *cobra.Command, args []string, s *store.Store) error {
			names, err := modelNames(name)
			if err != nil {
				return err
			}

			o, err := execution.models(cmd.Context(), cmd.ErrOrStderr(), nil, names)
			if err != nil {
				return err
			}

			m, settings, err := o.open("model", names[0])
			if err != nil {
				return err
			}

			run, err := toAdvise(cmd, s, args[0])
			if err != nil {
				return err
			}

			advised := evalAdvice{RunID: args[0], Recommendations: run.Evaluation.Recommendations,
				Model: names[0]}
			if advised.FromModel, err = written.Recommend(cmd.Context(), m, settings, run); err != nil {
				return &exitError{exitStageFailed, err}
			}

			return f.print(cmd.OutOrStdout(), advised, advised.write)
		}),
	}
	p := cmd.Flags()
	p.StringVar(&name, "model", "", "the model that writes, provider/model (default $"+selection.EnvProvider+" and $"+
		selection.EnvModel+")")
	execution.asking(p)
	execution.addressed(p)
	return cmd
}

// toAdvise reads what a model is told of a run.
func toAdvise(cmd *cobra.Command, s *store.Store, id string) (r written.Run, err error) {
	ctx := cmd.Context()
	run, err := s.Run(ctx, id)
	if err != nil {
		return r, err
	}

	if run.Status != selection.Completed {
		return r, fmt.Errorf("run %s is %s: advice is for completed runs", id, run.Status)
	}

	return runToAdvise(ctx, s, run)
}

func runToAdvise(ctx context.Context, s *store.Store, run selection.Run) (r written.Run, err error) {
	r.Selected = run.Selected
	if r.Case, err = s.Case(ctx, run.CaseID); err != nil {
		return r, err
	}

	if r.Tools, err = s.Tools(ctx, run.ID); err != nil {
		return r, err
	}

	r.Evaluation, err = s.Result(ctx, run.ID)
	return r, err
}

func (a evalAdvice) write(w io.Writer) {
	list := func(title string, items []selection.Recommendation) {
		fmt.Fprintln(w, title)
		for _, r := range items {
			fmt.Fprintf(w, "  %s  %s\n", safetext.Visible(r.Priority),
				safetext.Visible(r.Server+":"+r.Tool+": "+r.Text))
		}

		if len(items) == 0 {
			fmt.Fprintln(w, "  none")
		}
	}
	list("computed", a.Recommendations)
	list("written by "+safetext.Visible(a.Model)+", not checked", a.FromModel)
}
