package runner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/touchstone-eval/touchstone/internal/selection"
	"github.com/touchstone-eval/touchstone/internal/selection/advice"
	"github.com/touchstone-eval/touchstone/internal/selection/model"
	"github.com/touchstone-eval/touchstone/internal/selection/score"
	"github.com/touchstone-eval/touchstone/internal/selection/store"
)

// job is a run to be executed.
type job struct {
	runID, batchID string
	model          model.Model
	listings       *listings
	descriptions   map[string]string // in place of those of the servers
}

// execute runs a pending run to its end.
func (r *Runner) execute(ctx context.Context, j job, a *activeRun) {
	defer func() {
		r.mu.Lock()
		delete(r.active, j.runID)
		r.mu.Unlock()
		a.cancel(nil)
		close(a.done)
	}()
	var got answered
	err := func() (err error) {
		defer func() {
			if p := recover(); p != nil {
				err = fmt.Errorf("an internal error: %v", p)
			}
		}()
		if ctx.Err() != nil {
			return ctx.Err()
		}

		if err := r.persist(func() error { return r.store.StartRun(ctx, j.runID) }); err != nil {
			return err
		}

		r.publish(Event{RunID: j.runID, BatchID: j.batchID, Status: selection.Running})
		if got, err = r.ask(ctx, j); err != nil {
			return err
		}

		return r.judge(ctx, j, got)
	}()
	if errors.Is(err, store.ErrNotFound) {
		return // the run was deleted while it waited
	}

	if err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}

		r.end(j, got.answer, got.took, err)
	}
}

// end stores a run as failed. A run that has ended already is not changed.
func (r *Runner) end(j job, answer *selection.Answer, took time.Duration, reason error) {
	ctx := context.Background()
	text := selection.Clip(reason.Error(), 1000)
	err := r.persist(func() error { return r.store.FailRun(ctx, j.runID, text, answer, took.Milliseconds()) })
	if err == nil {
		r.publish(Event{RunID: j.runID, BatchID: j.batchID, Status: selection.Failed, Error: text})
	}
	// If the runner closes before the database can be written, the run stays
	// running until the next start, which marks it as failed.
}

// answered is what a model was asked and said. The answer is nil if the run failed
// before.
type answered struct {
	test   selection.Case
	tools  []selection.Tool
	answer *selection.Answer
	took   time.Duration
}

// ask puts the case of a run whose status is running to its model. If the model
// fails, what it said until then is returned with the error.
func (r *Runner) ask(ctx context.Context, j job) (got answered, err error) {
	run, err := r.store.Run(ctx, j.runID)
	if err != nil {
		return got, err
	}

	if got.test, err = r.store.Case(ctx, run.CaseID); err != nil {
		return got, err
	}

	if got.tools, err = r.ingest(ctx, j, got.test); err != nil {
		return got, err
	}

	if err := r.check(got.test, got.tools); err != nil {
		return got, err
	}

	if err := r.persist(func() error { return r.store.SaveTools(ctx, j.runID, got.tools) }); err != nil {
		return got, err
	}

	began := time.Now()
	a, err := j.model.Ask(ctx, model.Request{
		Query: got.test.Query, Tools: got.tools, Settings: run.Settings, Repeat: run.Repeat,
	})
	got.answer, got.took = &a, time.Since(began)
	return got, err
}

// judge scores the answer of a run and stores the run as completed.
func (r *Runner) judge(ctx context.Context, j job, got answered) error {
	verdicts, err := r.verdicts(ctx, got)
	if err != nil {
		return err
	}

	e, scored, err := score.Evaluate(got.test, got.tools, *got.answer, verdicts)
	if err != nil {
		return fmt.Errorf("score the answer: %w", err)
	}

	e.Recommendations = advice.Recommend(got.test, got.tools, *got.answer, e, scored)
	// An answer is kept even if the run was cancelled in the meantime.
	outcome := store.Outcome{Answer: *got.answer, Evaluation: e, ExecutionTimeMS: got.took.Milliseconds()}
	err = r.persist(func() error { return r.store.CompleteRun(context.WithoutCancel(ctx), j.runID, outcome) })
	if err != nil {
		return err
	}

	r.publish(Event{RunID: j.runID, BatchID: j.batchID, Status: selection.Completed, Classification: e.Classification})
	return nil
}

// serversAtOnce is the number of servers of a case that are contacted at the
// same time.
const serversAtOnce = 4

// ingest lists the tools of all servers of a case, sorted by the servers'
// names. It fails with the name of the first server that fails.
func (r *Runner) ingest(ctx context.Context, j job, c selection.Case) ([]selection.Tool, error) {
	names := slices.Sorted(slices.Values(c.Servers))
	lists := make([][]selection.Tool, len(names))
	errs := make([]error, len(names))
	var group errgroup.Group
	group.SetLimit(serversAtOnce)
	for i, name := range names {
		group.Go(func() error {
			server, err := r.store.ServerNamed(ctx, name)
			if err == nil {
				lists[i], err = j.listings.list(ctx, server)
			}

			if err == nil && j.listings.first(name) {
				err = r.persist(func() error {
					return r.store.SetServerStatus(ctx, server.ID, selection.ServerActive, time.Now())
				})
			}

			errs[i] = err
			return nil
		})
	}

	_ = group.Wait() // the functions of the group return no errors
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}

	var tools []selection.Tool
	for i, err := range errs {
		if err != nil {
			return nil, fmt.Errorf("cannot list the tools of server %q: %w", names[i], err)
		}

		tools = append(tools, lists[i]...)
	}

	tools = slices.Clone(tools)
	for i, t := range tools {
		if text, ok := j.descriptions[t.Server+":"+t.Name]; ok {
			tools[i].Description = text
		}
	}

	return tools, nil
}

// check refuses tools with which the case cannot be judged.
func (r *Runner) check(c selection.Case, tools []selection.Tool) error {
	var undescribed []string
	for _, t := range tools {
		if strings.TrimSpace(t.Description) == "" {
			undescribed = append(undescribed, t.Server+":"+t.Name)
		}
	}

	if len(undescribed) > 0 && !r.options.AllowUndescribed {
		slices.SortFunc(undescribed, cmp.Compare)
		return fmt.Errorf("tools without a description: %s: describe them, or use --allow-undescribed",
			selection.Clip(strings.Join(undescribed, ", "), 500))
	}

	for _, want := range c.Expected {
		for _, one := range want.Choices() {
			if !offered(tools, one.Server, one.Tool) {
				return fmt.Errorf("the expected tool %q is not among those of server %q: correct the case or "+
					"the server",
					one.Tool, one.Server)
			}
		}
	}

	for _, t := range c.Forbidden {
		if !offered(tools, t.Server, t.Tool) {
			return fmt.Errorf("the forbidden tool %q is not among those of server %q: correct the case or the server",
				t.Tool, t.Server)
		}
	}

	return nil
}

func offered(tools []selection.Tool, server, name string) bool {
	return slices.ContainsFunc(tools, func(t selection.Tool) bool { return t.Server == server && t.Name == name })
}
