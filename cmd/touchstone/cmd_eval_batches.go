//go:build !containers

package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/touchstone-eval/touchstone/internal/selection/score"
	"github.com/touchstone-eval/touchstone/internal/selection/store"
)

// newEvalBatchesCommand lists batches, and shows the figures of one.
func newEvalBatchesCommand(f *evalFlags) *cobra.Command {
	var limit int
	var file resultsFlags
	cmd := &cobra.Command{
		Use:   "batches [ID]",
		Short: "List batches, or show the figures of one by model, tool and choice",
		Long: `List batches, the newest first, or show the figures of one: by model, by expected tool,
and what was chosen for what was expected. ID is the id of a batch or its label; of
several batches with a label the newest is meant.

With --format, the results of the runs of one batch are written as CSV, as JUnit XML or
as a page.`,
		Example: `  touchstone eval batches
  touchstone eval batches nightly --format junit -o results.xml`,
		RunE: f.withData(func(cmd *cobra.Command, args []string, s *store.Store) error {
			if len(args) > 1 {
				return errors.New("give one id or label of a batch, or none")
			}

			if err := file.check(); err != nil {
				return err
			}

			if len(args) == 1 {
				return f.showBatch(cmd, s, args[0], file)
			}

			if file.format != "" {
				return errors.New("--format needs the id or the label of a batch")
			}

			list, err := firstItems(limit,
				func(p store.Page) ([]store.Batch, int, error) { return s.Batches(cmd.Context(), p) })
			if err != nil {
				return err
			}

			return f.print(cmd.OutOrStdout(), list, func(w io.Writer) {
				row(w, "ID", "LABEL", "RUNS", "FAILED", "ACCURACY", "MODELS")
				for _, b := range list.Items {
					runs := fmt.Sprint(b.Total)
					if b.Imported > 0 {
						runs += fmt.Sprintf(", %d imported", b.Imported)
					}

					row(w, b.ID, b.Label, runs, fmt.Sprint(b.Failed), figure(b.Accuracy),
						strings.Join(b.Models, ", "))
				}
			})
		}),
	}
	file.flags(cmd)
	cmd.Flags().IntVar(&limit, "limit", store.DefaultPage,
		"the maximum number of batches to list, newest first; 0 lists all")
	return cmd
}

// evalBatch is what eval batches ID prints as JSON.
type evalBatch struct {
	Models    []score.Group    `json:"models"`
	Tools     []score.Group    `json:"tools"`
	Confusion []score.Confused `json:"confusion"`
}

func (f *evalFlags) showBatch(cmd *cobra.Command, s *store.Store, id string, file resultsFlags) error {
	batch, err := s.Batch(cmd.Context(), id)
	if err != nil {
		return fmt.Errorf("%w: see `touchstone eval batches`", err)
	}

	all, err := s.Observations(cmd.Context(), store.RunFilter{BatchID: batch.ID})
	if err != nil {
		return err
	}

	if len(all) == 0 {
		return fmt.Errorf("there are no ended runs of a batch %q: see `touchstone eval batches`", id)
	}

	if file.format != "" {
		return file.write(cmd, s, "Batch "+cmp.Or(batch.Label, batch.ID), store.RunFilter{BatchID: batch.ID})
	}

	b := evalBatch{score.By(all, score.ByModel), score.By(all, score.ByTool), score.Confusion(all)}
	return f.print(cmd.OutOrStdout(), b, func(w io.Writer) {
		if batch.Imported > 0 {
			fmt.Fprintf(w, "%d of %d runs were imported: another program executed them\n\n", batch.Imported,
				batch.Total)
		}

		for _, part := range []struct {
			title  string
			groups []score.Group
		}{{"MODEL", b.Models}, {"EXPECTED TOOL", b.Tools}} {
			row(w, part.title, "RUNS", "FAILED", "ACCURACY", "WRONG TOOL", "PARAMETERS RIGHT")
			for _, g := range part.groups {
				x := g.Summary
				row(w, g.Name, fmt.Sprint(x.Runs), fmt.Sprint(x.Failed), percent(x.Accuracy), percent(x.WrongTool),
					percent(x.ParameterAccuracy))
			}

			row(w, "")
		}

		row(w, "EXPECTED", "CHOSEN", "SHARE")
		for _, c := range b.Confusion {
			row(w, c.Expected, c.Chosen, percent(c.Rate))
		}
	})
}
