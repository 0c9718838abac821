//go:build !containers

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/touchstone-eval/touchstone/internal/base/arguments"
	"github.com/touchstone-eval/touchstone/internal/base/safetext"
	"github.com/touchstone-eval/touchstone/internal/selection"
	"github.com/touchstone-eval/touchstone/internal/selection/model"
	"github.com/touchstone-eval/touchstone/internal/selection/runner"
	"github.com/touchstone-eval/touchstone/internal/selection/store"
)

// evalAgainFlags are those of touchstone eval retry and eval cancel.
type evalAgainFlags struct {
	*evalFlags
	service   evalService
	execution evalExecution
}

func newEvalRetryCommand(e *evalFlags) *cobra.Command {
	f := &evalAgainFlags{evalFlags: e}
	cmd := &cobra.Command{
		Use:   "retry RUN...",
		Short: "Execute ended runs again, as new runs of their batches",
		Long: `Execute runs that have ended again, with the settings that they had, and wait for the
answers. RUN is the id of a run, or batch:ID with the id or the label of a batch: all its
failed runs that were not retried yet. The figures of a batch count a retry in place of the
earlier run.

While touchstone eval serve uses the database, give its address as --db: the service
executes the new runs, and this verb prints them without waiting.

` + evalExitHelp,
		Example: `  touchstone eval retry batch:0198c1f0-6a5e-7bb1-a4c5-7d9f6a0b1c2d --api-key env:OPENAI_API_KEY
  touchstone eval retry RUN --db http://127.0.0.1:8420`,
		Args: arguments.AtLeast(1),
		RunE: func(cmd *cobra.Command, args []string) error { return f.retry(cmd, args) },
	}
	f.service.flags(cmd.Flags())
	f.execution.asking(cmd.Flags())
	f.execution.running(cmd.Flags())
	return cmd
}

func newEvalCancelCommand(e *evalFlags) *cobra.Command {
	f := &evalAgainFlags{evalFlags: e}
	cmd := &cobra.Command{
		Use:   "cancel RUN...",
		Short: "End pending and running runs as cancelled",
		Long: `End pending and running runs as failed with "cancelled". RUN is the id of a run, or
batch:ID with the id or the label of a batch: all its runs that have not ended. A run in
work in another process, such as touchstone eval serve, can be ended by that process
alone: give the address of the service as --db.`,
		Example: `  touchstone eval cancel batch:0198c1f0-6a5e-7bb1-a4c5-7d9f6a0b1c2d --db http://127.0.0.1:8420`,
		Args:    arguments.AtLeast(1),
		RunE:    func(cmd *cobra.Command, args []string) error { return f.cancel(cmd, args) },
	}
	f.service.flags(cmd.Flags())
	return cmd
}

// runLists lists runs by a filter, page by page.
type runLists func(store.RunFilter) ([]selection.Run, int, error)

// chosen gives the ids of the runs that the command line names, with those of its batches that
// wanted accepts.
func chosen(names []string, list runLists, wanted func(selection.Run) bool) (ids []string, err error) {
	for _, name := range names {
		batch, ok := strings.CutPrefix(name, batchPrefix)
		if !ok {
			ids = append(ids, name)
			continue
		}

		of, err := ofBatch(batch, list, wanted)
		if err != nil {
			return nil, err
		}

		ids = append(ids, of...)
	}

	return ids, nil
}

// ofBatch gives the ids of the runs of a batch that wanted accepts.
func ofBatch(batch string, list runLists, wanted func(selection.Run) bool) (ids []string, err error) {
	page, err := allPages(func(p store.Page) ([]selection.Run, int, error) {
		return list(store.RunFilter{BatchID: batch, OldestFirst: true, Page: p})
	})
	if err != nil {
		return nil, err
	}

	if page.Total == 0 {
		return nil, fmt.Errorf("there is no batch %q: see `touchstone eval batches`", batch)
	}

	retried := map[string]bool{}
	for _, r := range page.Items {
		retried[r.RetryOf] = true
	}

	for _, r := range page.Items {
		if wanted(r) && !retried[r.ID] {
			ids = append(ids, r.ID)
		}
	}

	if len(ids) == 0 {
		return nil, fmt.Errorf("no run of batch %q is left to do this with: it has %d runs", batch, page.Total)
	}

	return ids, nil
}

func isFailed(r selection.Run) bool     { return r.Status == selection.Failed }
func isUnfinished(r selection.Run) bool { return !r.Ended() }

// fromService lists runs of the service.
func (f *evalAgainFlags) fromService(ctx context.Context) runLists {
	return func(filter store.RunFilter) ([]selection.Run, int, error) {
		var page evalPage[selection.Run]
		query := url.Values{
			"batch": {filter.BatchID}, "sort": {"created_at"},
			"limit": {fmt.Sprint(filter.Limit)}, "offset": {fmt.Sprint(filter.Offset)},
		}
		err := f.service.call(ctx, http.MethodGet, "/runs?"+query.Encode(), nil, &page)
		return page.Items, page.Total, err
	}
}

// asked has the service do something with runs, and gives the runs that it
// answers with. What it refuses for one run does not keep it from the others.
func (f *evalAgainFlags) asked(cmd *cobra.Command, ids []string, verb string, header http.Header) ([]string, error) {
	var done []string
	var refused []error
	for _, id := range ids {
		var answer struct {
			ID     string   `json:"id"`
			RunIDs []string `json:"run_ids"`
		}
		if err := f.service.call(cmd.Context(), http.MethodPost, "/runs/"+url.PathEscape(id)+"/"+verb, header,
			&answer); err != nil {
			refused = append(refused, fmt.Errorf("run %s: %w", id, err))
			continue
		}

		if answer.ID != "" {
			answer.RunIDs = []string{answer.ID}
		}

		done = append(done, answer.RunIDs...)
	}

	return done, errors.Join(refused...)
}

// printRuns reads runs and prints them as eval runs does.
func (f *evalFlags) printRuns(w io.Writer, ids []string, read func(id string) (selection.Run, error)) ([]selection.Run,
	error) {
	runs := []selection.Run{}
	for _, id := range ids {
		r, err := read(id)
		if err != nil {
			return runs, err
		}
		runs = append(runs, r)
	}
	return runs, f.print(w, evalPage[selection.Run]{runs, len(runs)}, func(w io.Writer) { runTable(w, runs) })
}

func (f *evalAgainFlags) retry(cmd *cobra.Command, args []string) error {
	ctx := cmd.Context()
	if f.service.at(f.db) {
		return f.askToRetry(cmd, args)
	}

	return f.withData(func(_ *cobra.Command, _ []string, s *store.Store) error {
		ids, err := chosen(args,
			func(filter store.RunFilter) ([]selection.Run, int, error) { return s.Runs(ctx, filter) }, isFailed)
		if err != nil {
			return err
		}

		o, err := f.retryModels(cmd, s, ids)
		if err != nil {
			return err
		}

		r, err := runner.New(ctx, s, f.live(), o.Options)
		if errors.Is(err, store.ErrOwned) {
			return fmt.Errorf("%w; a touchstone eval serve is asked with its address, --db http://ADDRESS", err)
		}

		if err != nil {
			return err
		}

		defer r.Close()
		created, refused := r.RetryAll(ctx, ids, o.given.Key)
		if err := r.Wait(ctx, created); err != nil {
			return err
		}

		r.Close()
		runs, err := f.printRuns(cmd.OutOrStdout(), created,
			func(id string) (selection.Run, error) { return s.Run(ctx, id) })
		if err := errors.Join(refused, err); err != nil {
			return err
		}

		for _, run := range runs {
			if isFailed(run) {
				fmt.Fprintf(cmd.ErrOrStderr(), "touchstone: run %s failed: %s\n", run.ID, safetext.Visible(run.Error))
				err = &exitError{exitStageFailed, nil}
			}
		}

		return err
	})(cmd, args)
}

// retryModels opens the models of runs that are executed again. A key of the command line is for
// these models, at the addresses that they were asked at.
func (f *evalAgainFlags) retryModels(cmd *cobra.Command, s *store.Store, ids []string) (o evalModels, err error) {
	var names []string
	for _, id := range ids {
		run, err := s.Run(cmd.Context(), id)
		if err != nil {
			return o, err
		}

		names = append(names, run.Settings.Provider+"/"+run.Settings.Model)
		f.execution.baseURL = run.Settings.BaseURL
	}

	if f.execution.key == "" {
		f.execution.baseURL = ""
	}

	return f.execution.models(cmd.Context(), cmd.ErrOrStderr(), nil, names)
}

// askToRetry has the service execute runs again, and prints the new ones.
func (f *evalAgainFlags) askToRetry(cmd *cobra.Command, args []string) error {
	ctx := cmd.Context()
	if f.execution.settings != "" {
		return errors.New("--settings has no effect if a service is asked: start the service with it")
	}

	key, err := model.KeyFrom(f.execution.key, os.Getenv)
	if err != nil {
		return err
	}

	ids, err := chosen(args, f.fromService(ctx), isFailed)
	if err != nil {
		return err
	}

	header := http.Header{}
	if !key.Empty() {
		header.Set("X-Model-API-Key", key.Reveal())
	}

	created, refused := f.asked(cmd, ids, "retry", header)
	_, err = f.printRuns(cmd.OutOrStdout(), created, f.serviceRun(ctx))
	return errors.Join(refused, err)
}

func (f *evalAgainFlags) serviceRun(ctx context.Context) func(string) (selection.Run, error) {
	return func(id string) (r selection.Run, err error) {
		err = f.service.call(ctx, http.MethodGet, "/runs/"+url.PathEscape(id), nil, &r)
		return r, err
	}
}

func (f *evalAgainFlags) cancel(cmd *cobra.Command, args []string) error {
	ctx := cmd.Context()
	if f.service.at(f.db) {
		ids, err := chosen(args, f.fromService(ctx), isUnfinished)
		if err != nil {
			return err
		}

		ended, refused := f.asked(cmd, ids, "cancel", nil)
		_, err = f.printRuns(cmd.OutOrStdout(), ended, f.serviceRun(ctx))
		return errors.Join(refused, err)
	}

	return f.withData(func(_ *cobra.Command, _ []string, s *store.Store) error {
		ids, err := chosen(args,
			func(filter store.RunFilter) ([]selection.Run, int, error) { return s.Runs(ctx, filter) }, isUnfinished)
		if err != nil {
			return err
		}

		var ended []string
		var refused []error
		for _, id := range ids {
			if err := cancelStored(ctx, s, id); err != nil {
				refused = append(refused, err)
				continue
			}

			ended = append(ended, id)
		}

		_, err = f.printRuns(cmd.OutOrStdout(), ended, func(id string) (selection.Run, error) { return s.Run(ctx, id) })
		return errors.Join(append(refused, err)...)
	})(cmd, args)
}

// cancelStored ends a run that no process has in work. A pending one is ended in
// the database, where the process that would execute it finds it ended.
func cancelStored(ctx context.Context, s *store.Store, id string) error {
	err := s.CancelPending(ctx, id)
	if !errors.Is(err, store.ErrConflict) {
		return err
	}

	run, err := s.Run(ctx, id)
	if err != nil {
		return err
	}

	if run.Ended() {
		return fmt.Errorf("cancel run %q: %w: it is %s", id, store.ErrConflict, run.Status)
	}

	if err := s.Own(); errors.Is(err, store.ErrOwned) {
		return fmt.Errorf("cancel run %q: another process has it in work: ask a touchstone eval serve with "+
			"its address, --db http://ADDRESS, and interrupt a touchstone eval run", id)
	} else if err != nil {
		return err
	}

	return s.FailRun(ctx, id, selection.Cancelled, nil, 0)
}
