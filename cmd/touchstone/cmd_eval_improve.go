//go:build !containers

package main

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/touchstone-eval/touchstone/internal/base/atomicfile"
	"github.com/touchstone-eval/touchstone/internal/base/safetext"
	"github.com/touchstone-eval/touchstone/internal/selection"
	"github.com/touchstone-eval/touchstone/internal/selection/advice/written"
	"github.com/touchstone-eval/touchstone/internal/selection/runner"
	"github.com/touchstone-eval/touchstone/internal/selection/score"
	"github.com/touchstone-eval/touchstone/internal/selection/store"
)

// improveLevel is the p-value below which a difference counts.
const improveLevel = 0.05

// evalImproveFlags are the flags of touchstone eval improve.
type evalImproveFlags struct {
	*evalFlags
	model, advisor string
	execution      evalExecution
	repeats        int
	tag, output    string
}

func newEvalImproveCommand(e *evalFlags) *cobra.Command {
	f := &evalImproveFlags{evalFlags: e}
	cmd := &cobra.Command{
		Use:   "improve --model PROVIDER/MODEL --advisor PROVIDER/MODEL",
		Short: "Have a model rewrite descriptions, and measure on held-out cases whether it helps",
		Long: `Have an advisor rewrite the descriptions of tools, and measure whether that helps. Half
of the cases, chosen by the digest of their queries, are held out. All cases are run.
The advisor gets the runs of the other half that went wrong, and rewrites descriptions.
Then the held-out cases are run again with the new descriptions, and the exact McNemar
test compares both runs.

The new descriptions are written by a model and may be wrong. They are printed, and
written to --output only if they help: more held-out cases were gained than lost, and
p is below .05. Nothing is changed at the servers.

Exit codes:
  0    success: the new descriptions help
  1    they do not help
  2    usage error, or an input that cannot be read
  3    a run failed, or the advisor gave nothing that can be read
  130  interrupted`,
		Example: `  touchstone eval improve --model ollama/qwen3:8b --advisor openai/gpt-4.1 \
    --settings models.hcl --repeats 3 --output descriptions.json`,
		RunE: f.withData(func(cmd *cobra.Command, _ []string, s *store.Store) error { return f.improve(cmd, s) }),
	}
	p := cmd.Flags()
	f.execution.asking(p)
	f.execution.addressed(p)
	f.execution.running(p)
	p.StringVar(&f.model, "model", "", "the model that chooses tools, provider/model (default $"+selection.EnvProvider+
		" and $"+selection.EnvModel+")")
	p.StringVar(&f.advisor, "advisor", "", "the model that rewrites descriptions, provider/model")
	p.IntVar(&f.repeats, "repeats", 1, "the number of times to send each case")
	p.StringVar(&f.tag, "tag", "", "use only the cases with this tag")
	outputVar(p, &f.output, "file", "write the new descriptions to this file if they help")
	return cmd
}

// evalImprovement is the output of eval improve --json.
type evalImprovement struct {
	Before  string            `json:"before_batch_id"`
	After   string            `json:"after_batch_id,omitempty"`
	Shown   int               `json:"shown_cases"` // the advisor saw those that went wrong
	HeldOut int               `json:"held_out_cases"`
	Wrong   int               `json:"wrong_cases_shown"`
	Advisor string            `json:"advisor"`
	Written []written.Rewrite `json:"written_by_model"`
	// Comparison is over the held-out cases.
	Comparison *score.Comparison `json:"comparison,omitempty"`
	Helps      bool              `json:"helps"`
}

func (f *evalImproveFlags) improve(cmd *cobra.Command, s *store.Store) error {
	ctx := cmd.Context()
	if f.advisor == "" {
		return errors.New("no advisor: name the model that rewrites descriptions with --advisor PROVIDER/MODEL")
	}

	names, err := modelNames(f.model)
	if err != nil {
		return err
	}

	o, err := f.execution.models(ctx, cmd.ErrOrStderr(), nil, names)
	if err != nil {
		return err
	}

	settings, err := o.resolveAll(names)
	if err != nil {
		return err
	}

	advisor, advisorSettings, err := o.open("advisor", f.advisor)
	if err != nil {
		return err
	}

	shown, held, err := f.split(ctx, s)
	if err != nil {
		return err
	}

	r, err := runner.New(ctx, s, f.live(), o.Options)
	if err != nil {
		return err
	}

	defer r.Close()
	result := evalImprovement{Shown: len(shown), HeldOut: len(held), Advisor: f.advisor, Written: []written.Rewrite{}}
	batch := runner.Batch{Label: "before improvement", CaseIDs: append(slices.Clone(shown), held...),
		Settings: settings, Repeats: f.repeats}
	before, id, err := f.measure(cmd, s, r, batch)
	if err != nil {
		return err
	}

	result.Before = id
	wrong, err := wrongRuns(ctx, s, before, shown)
	if err != nil {
		return err
	}

	if result.Wrong = len(wrong); len(wrong) > 0 {
		if result.Written, err = written.Rewrites(ctx, advisor, advisorSettings, wrong); err != nil {
			return &exitError{exitStageFailed, err}
		}
	}

	if len(result.Written) > 0 {
		batch.Label, batch.CaseIDs, batch.Descriptions = "after improvement", held, map[string]string{}
		for _, w := range result.Written {
			batch.Descriptions[w.Server+":"+w.Tool] = w.Description
		}

		after, id, err := f.measure(cmd, s, r, batch)
		if err != nil {
			return err
		}

		result.After = id
		c := score.Compare(ofCases(before, held), after)
		result.Comparison, result.Helps = &c, len(c.Gained) > len(c.Lost) && c.P < improveLevel
	}

	return f.report(cmd, result)
}

// split divides the cases into those whose wrong runs the advisor sees and those
// that are held out. Cases with equal queries are on one side.
func (f *evalImproveFlags) split(ctx context.Context, s *store.Store) (shown, held []string, err error) {
	list, err := allPages(func(p store.Page) ([]selection.Case, int, error) {
		return s.Cases(ctx, store.CaseFilter{Tag: f.tag, Page: p})
	})
	if err != nil {
		return nil, nil, err
	}

	for _, c := range list.Items {
		if sum := sha256.Sum256([]byte(c.Query)); sum[0]%2 == 0 {
			shown = append(shown, c.ID)
		} else {
			held = append(held, c.ID)
		}
	}

	if len(shown) == 0 || len(held) == 0 {
		return nil, nil, fmt.Errorf("%d cases cannot be divided into two halves: add cases", len(list.Items))
	}

	return shown, held, nil
}

// measure executes a batch. A failed run is an error: a comparison needs them all.
func (f *evalImproveFlags) measure(cmd *cobra.Command, s *store.Store, r *runner.Runner,
	b runner.Batch) ([]score.Observation, string, error) {
	id, runs, err := r.Start(cmd.Context(), b)
	if err != nil {
		return nil, "", err
	}

	if err := r.Wait(cmd.Context(), runs); err != nil {
		return nil, id, err
	}

	all, err := s.Observations(cmd.Context(), store.RunFilter{BatchID: id})
	if err != nil {
		return nil, id, err
	}

	if reportFailures(cmd.ErrOrStderr(), all) > 0 {
		return nil, id, &exitError{exitStageFailed, nil}
	}

	return all, id, nil
}

func ofCases(all []score.Observation, ids []string) []score.Observation {
	return slices.DeleteFunc(slices.Clone(all), func(o score.Observation) bool {
		return !slices.Contains(ids, o.CaseID)
	})
}

// wrongRuns are the first wrong runs of cases. A call that the model wrote as text
// is no fault of a description, and neither is a refusal.
func wrongRuns(ctx context.Context, s *store.Store, all []score.Observation, cases []string) ([]written.Run, error) {
	var list []written.Run
	seen := map[string]bool{}
	for _, o := range ofCases(all, cases) {
		if o.Classification.Correct() || seen[o.CaseID] {
			continue
		}

		seen[o.CaseID] = true
		run, err := s.Run(ctx, o.RunID)
		if err != nil {
			return nil, err
		}

		if run.Said != nil && (len(run.Said.CallAsText) > 0 || run.Said.Refusal != "" && run.Selected == nil) {
			continue
		}

		x, err := runToAdvise(ctx, s, run)
		if err != nil {
			return nil, err
		}

		list = append(list, x)
	}

	return list, nil
}

func (f *evalImproveFlags) report(cmd *cobra.Command, result evalImprovement) error {
	err := f.print(cmd.OutOrStdout(), result, func(w io.Writer) {
		fmt.Fprintf(w, "%d cases were shown to the advisor if they went wrong (%d did), and %d were held out\n",
			result.Shown, result.Wrong, result.HeldOut)
		for _, x := range result.Written {
			fmt.Fprintf(w, "\n%s, written by %s, not checked:\n  %s\n", safetext.Visible(x.Server+":"+x.Tool),
				safetext.Visible(result.Advisor), safetext.Visible(x.Description))
		}

		if c := result.Comparison; c != nil {
			fmt.Fprintf(w, "\nheld-out cases: accuracy %s before, %s after; lost %d, gained %d; McNemar p = %.4f\n",
				percent(c.First.Accuracy), percent(c.Second.Accuracy), len(c.Lost), len(c.Gained), c.P)
		}
	})
	if err != nil {
		return err
	}

	if !result.Helps {
		why := "the held-out cases do not show that they help"
		if len(result.Written) == 0 {
			why = "no description was rewritten"
		}

		fmt.Fprintf(cmd.ErrOrStderr(), "touchstone: %s; nothing was written\n", why)
		return &exitError{exitGateFailed, nil}
	}

	if f.output == "" {
		return nil
	}

	file := map[string]any{"written_by": result.Advisor, "descriptions": result.Written}
	text, err := json.MarshalIndent(file, "", "  ")
	if err != nil {
		return err
	}

	if err := atomicfile.WriteFile(f.output, append(text, '\n'), 0o644); err != nil {
		return fmt.Errorf("write the descriptions: %w; choose another file with -o", err)
	}

	return nil
}
