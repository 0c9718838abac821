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
	var answer *selection.Answer
	var took time.Duration
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
		return r.run(ctx, j, &answer, &took)
	}()
	if errors.Is(err, store.ErrNotFound) {
		return // the run was deleted while it waited
	}
	if err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		r.end(j, answer, took, err)
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

// run executes a run whose status is running.
func (r *Runner) run(ctx context.Context, j job, answer **selection.Answer, took *time.Duration) error {
	run, err := r.store.Run(ctx, j.runID)
	if err != nil {
		return err
	}
	c, err := r.store.Case(ctx, run.CaseID)
	if err != nil {
		return err
	}
	tools, err := r.ingest(ctx, j, c)
	if err != nil {
		return err
	}
	if err := r.check(c, tools); err != nil {
		return err
	}
	if err := r.persist(func() error { return r.store.SaveTools(ctx, j.runID, tools) }); err != nil {
		return err
	}
	began := time.Now()
	a, err := j.model.Ask(ctx, model.Request{
		Query: c.Query, Tools: tools, Settings: run.Settings, Several: len(c.Expected) > 1, Repeat: run.Repeat,
	})
	*answer, *took = &a, time.Since(began)
	if err != nil {
		return err
	}
	e, scored, err := score.Evaluate(c, tools, a)
	if err != nil {
		return fmt.Errorf("score the answer: %w", err)
	}
	e.Recommendations = advice.Recommend(c, tools, a, e, scored)
	// An answer is kept even if the run was cancelled in the meantime.
	outcome := store.Outcome{Answer: a, Evaluation: e, ExecutionTimeMS: took.Milliseconds()}
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
	return slices.Clone(tools), nil
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
		return fmt.Errorf("tools without a description: %s: describe them, or use --allow-undescribed", selection.Clip(strings.Join(undescribed, ", "), 500))
	}
	for _, want := range c.Expected {
		if !slices.ContainsFunc(tools, func(t selection.Tool) bool { return t.Server == want.Server && t.Name == want.Tool }) {
			return fmt.Errorf("the expected tool %q is not among those of server %q: correct the case or the server", want.Tool, want.Server)
		}
	}
	return nil
}
