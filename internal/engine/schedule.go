package engine

import (
	"cmp"
	"container/heap"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/semaphore"

	"github.com/touchstone-eval/touchstone/cache"
	"github.com/touchstone-eval/touchstone/internal/base/redact"
	"github.com/touchstone-eval/touchstone/pipeline"
)

// run is one walk over a plan. Every instance has a counter of unfinished upstream
// instances. When the counter reaches zero, the instance is added to a heap in the order
// of the plan, from which workers take instances. Instances without upstream instances
// are in a sorted list from the start and need no heap. One mutex guards all fields.
type run struct {
	*Engine
	plan     *pipeline.Plan
	opts     RunOptions
	outcomes []*Outcome
	cpus     *semaphore.Weighted
	slots    *semaphore.Weighted // for instances that execute, at most Jobs
	eventMu  sync.Mutex
	// repairs has a lock for each instance. The repair of an instance may have to
	// repair an upstream instance. Locks are only taken in that direction, so they
	// cannot deadlock.
	repairs   []sync.Mutex
	repaired  atomic.Int64 // instances executed again because their blobs were damaged
	keyings   sync.Pool    // of *keying
	progress  *runProgress // nil for an evaluation
	hidden    *redact.Set  // Engine.Hidden
	localOnly bool         // whether no other machine is asked
	explains  bool         // whether all outcomes, even hits, keep the components of their keys
	records   func() []cache.RecordInfo
	// failures reads the journals at its first call.
	failures func() map[string]JournalInstance
	// prepared prepares for executions at its first call, and reports whether they are possible.
	// prepareErr is the reason if they are not.
	prepared   func() bool
	prepareErr error
	sources    sources
	readLists  readLists

	mu         sync.Mutex
	wake       *sync.Cond
	roots      []int // ready from the start and not yet taken
	ready      readyHeap
	pending    []int
	dependents [][]int
	left       int
	idle       int      // the number of workers that wait for an instance
	failedBy   *Outcome // the first instance that failed or was stale, if it stops the run
}

// readyHeap is a heap of indexes into the plan, with the smallest first.
type readyHeap []int

func (h readyHeap) Len() int           { return len(h) }
func (h readyHeap) Less(i, j int) bool { return h[i] < h[j] }
func (h readyHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *readyHeap) Push(x any)        { *h = append(*h, x.(int)) }
func (h *readyHeap) Pop() any {
	old := *h
	x := old[len(old)-1]
	*h = old[:len(old)-1]
	return x
}

func (e *Engine) newRun(plan *pipeline.Plan, opts RunOptions) *run {
	r := &run{
		Engine:     e,
		plan:       plan,
		opts:       opts,
		outcomes:   make([]*Outcome, len(plan.Instances)),
		cpus:       semaphore.NewWeighted(int64(e.Jobs)),
		slots:      semaphore.NewWeighted(int64(e.Jobs)),
		repairs:    make([]sync.Mutex, len(plan.Instances)),
		pending:    make([]int, len(plan.Instances)),
		dependents: make([][]int, len(plan.Instances)),
		left:       len(plan.Instances),
		hidden:     cmp.Or(e.Hidden, &redact.Set{}),
	}
	r.wake = sync.NewCond(&r.mu)
	for i, in := range plan.Instances {
		r.outcomes[i] = &Outcome{Instance: in}
		r.pending[i] = len(in.Upstream) + len(in.After)
		for _, u := range in.Upstream {
			r.dependents[u] = append(r.dependents[u], i)
		}

		for _, a := range in.After {
			r.dependents[a] = append(r.dependents[a], i)
		}

		if r.pending[i] == 0 {
			r.roots = append(r.roots, i)
		}
	}

	r.keyings.New = func() any { return &keying{} }
	r.records = sync.OnceValue(r.readRecords)
	r.failures = sync.OnceValue(r.readFailures)
	return r
}

// walk visits every instance once, each after its upstream instances, with the engine's
// number of workers, or more if other machines are asked for results, but no more than there are
// instances. It returns after all were visited.
func (r *run) walk(ctx context.Context, visit func(context.Context, int)) {
	var workers sync.WaitGroup
	n := r.Jobs
	if r.Shared != nil && !r.localOnly {
		n = max(n, parallelLookups)
	}

	for range min(n, len(r.plan.Instances)) {
		workers.Go(func() {
			for {
				i, ok := r.next()
				if !ok {
					return
				}

				visit(ctx, i)
				r.finish(i)
			}
		})
	}

	workers.Wait()
}

func (r *run) next() (int, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for len(r.roots)+len(r.ready) == 0 {
		if r.left == 0 {
			return 0, false
		}

		r.idle++
		r.wake.Wait()
		r.idle--
	}

	if r.left--; r.left == 0 && r.idle > 0 {
		r.wake.Broadcast() // no instance is left
	}

	if len(r.ready) == 0 || len(r.roots) > 0 && r.roots[0] < r.ready[0] {
		i := r.roots[0]
		r.roots = r.roots[1:]
		return i, true
	}

	return heap.Pop(&r.ready).(int), true
}

func (r *run) finish(i int) {
	if len(r.dependents[i]) == 0 {
		return
	}

	r.mu.Lock()
	defer r.mu.Unlock()
	for _, d := range r.dependents[i] {
		if r.pending[d]--; r.pending[d] == 0 {
			heap.Push(&r.ready, d)
			if r.idle > 0 {
				r.wake.Signal()
			}
		}
	}
}

// blocked returns the upstream outcome because of which the key of an instance cannot be
// computed, or nil.
func (r *run) blocked(o *Outcome) *Outcome {
	for _, u := range o.Instance.Upstream {
		if up := r.outcomes[u]; !up.written() {
			return up
		}
	}
	return nil
}

// blockedAfter returns the outcome of an instance in depends_on that prevents another
// instance from running, or nil. An instance that was not selected prevents nothing.
func (r *run) blockedAfter(o *Outcome) *Outcome {
	for _, a := range o.Instance.After {
		up := r.outcomes[a]
		if up.Err != nil || up.State == Canceled || up.State == Skipped && up.Cause != "" {
			return up
		}
	}
	return nil
}

// onDemand returns the reason for skipping an instance that only runs on demand.
func onDemand(in *pipeline.Instance) []string {
	return []string{"manual stage; name it with --only " + in.Stage}
}

// Evaluate determines for every instance whether it is a hit or a miss, without running
// anything. An instance that reads a miss waits: whether it must run depends on the
// outputs of the upstream instance. A miss has its changes. The error joins the problems of every
// input that cannot be read and every program that cannot be found, also for instances
// that wait.
//
// The state of an instance is Off if its condition is false, and Skipped if it only runs
// on demand.
func (e *Engine) Evaluate(ctx context.Context, plan *pipeline.Plan) ([]*Outcome, error) {
	return e.evaluateWith(ctx, plan, evaluation{})
}

// evaluation says how evaluateWith differs from Evaluate.
type evaluation struct {
	demanded  []bool // instances on demand that are included
	explained []bool // instances of which all is found out that can be known, also if they wait
	only      bool   // leaves out what is not in demanded
	localOnly bool   // asks no other machine
}

// evaluateWith is Evaluate with differences.
func (e *Engine) evaluateWith(ctx context.Context, plan *pipeline.Plan, how evaluation) ([]*Outcome, error) {
	r := e.newRun(plan, RunOptions{})
	r.localOnly = how.localOnly
	r.explains = true
	r.walk(ctx, func(ctx context.Context, i int) {
		o := r.outcomes[i]
		switch {
		case ctx.Err() != nil:
			o.State = Canceled
			return
		case o.Instance.Off != "":
			o.State, o.Reasons = Off, []string{o.Instance.Off}
			return
		case how.only && !how.demanded[i]:
			o.State = Skipped
			return
		case o.Instance.OnDemand && (how.demanded == nil || !how.demanded[i]):
			o.State, o.Reasons = Skipped, onDemand(o.Instance)
			return
		}

		if up := r.blocked(o); up != nil {
			o.State, o.Reasons = Waits, []string{r.waitsFor(o, up)}
			if o.Instance.Cache.Off {
				o.State, o.Miss = Miss, cacheOff // it runs whatever its inputs are
			}

			o.blocked = true
			if o.tool, o.Err = r.Tools.Resolve(o.Instance); o.Err == nil && how.explained != nil && how.explained[i] {
				if o.Err = r.evaluateKnown(o); o.Err == nil {
					r.findChanges(o)
				}
			}
		} else if o.Err = r.evaluate(o); o.Err == nil && o.State == Miss {
			r.findChanges(o)
		}

		if o.Err != nil {
			o.State, o.Err = Failed, r.redactError(o.Err)
		}

		o.Reasons = r.hideAll(o.Reasons)
	})
	if ctx.Err() != nil {
		return r.outcomes, ctx.Err()
	}

	return r.outcomes, errors.Join(r.distinctErrors()...)
}

// distinctErrors returns the errors, each error of a stage once and not for every
// instance of its matrix.
func (r *run) distinctErrors() []error {
	type problem struct{ stage, message string }
	seen := map[problem]bool{}
	var errs []error
	for _, o := range r.outcomes {
		if o.Err == nil {
			continue
		}

		p := problem{o.Instance.Stage, o.Err.Error()}
		if !seen[p] {
			seen[p] = true
			errs = append(errs, fmt.Errorf("stage %s: %w", o.Instance, o.Err))
		}
	}

	return errs
}

// RunOptions are the options of a run.
type RunOptions struct {
	Selection
	// Force executes the selected instances even if they are hits.
	Force bool
	// Check executes the selected instances twice, even if they are hits, and compares the outputs.
	Check bool
	// KeepGoing continues after a failure with instances that do not depend on it.
	KeepGoing bool
}

// Summary holds the numbers of instances by state after a run.
type Summary struct {
	Selected, Hits, Executed, Failures int
	// Changed names the source files that changed during the run. No stage has used their new versions.
	Changed []SourceChange
	// Reread names the other files that commands read and that changed during the run. Different stages may have read
	// different versions.
	Reread []SourceChange
}

// Run brings the selected instances up to date. It returns all outcomes in the order of
// the plan. The state of an instance that was not selected is Hit if a selected instance
// needs it, and otherwise Skipped without a cause. The state of an instance whose
// condition is false is Off. The error is a *StageError for the first failed instance in
// the order of the plan, a *StaleError if an instance is needed but was not selected and
// is not up to date, or the error of the context. If outputs differed, it is a *DifferError, joined with any of these.
func (e *Engine) Run(ctx context.Context, plan *pipeline.Plan, opts RunOptions) ([]*Outcome, Summary, error) {
	selected, err := opts.resolve(plan)
	if err != nil {
		return nil, Summary{}, err
	}

	opts.Force = opts.Force || opts.Check
	r := e.newRun(plan, opts)
	work := &workDir{}
	defer work.close()
	r.prepared = sync.OnceValue(func() bool {
		r.prepareErr = r.prepare(ctx)
		r.sources.fix(r, selected)
		return r.prepareErr == nil
	})
	r.progress = newRunProgress(plan, selected)
	total := r.progress.total
	r.emit(Event{Event: EventRunStart, Total: total})
	r.walk(ctx, func(ctx context.Context, i int) {
		r.visit(ctx, i, selected[i], work)
		r.progress.finish(i)
	})

	sum := Summary{Selected: total}
	var first error
	for i, o := range r.outcomes {
		switch o.State {
		case Hit:
			if selected[i] == selectRun {
				sum.Hits++
			}
		case Ran:
			sum.Executed++
		case Skipped: // no stage failed: the selection lacks a stage
			var stale *StaleError
			if errors.As(o.Err, &stale) && first == nil {
				stale.Reader, first = r.reader(i, selected), stale
			}
		case Failed:
			sum.Failures++
			if failed, ok := first.(*StageError); ok {
				failed.Others = append(failed.Others, o.Instance.String())
				failed.Differ = failed.Differ || o.Err.Error() != failed.Outcome.Err.Error()
			} else if first == nil {
				first = &StageError{Outcome: o, Plan: plan}
			}
		}
	}

	sum.Changed = r.sources.changed(r, selected)
	sum.Executed += int(r.repaired.Load())
	if sum.Executed > 0 {
		sum.Reread = r.reread()
	}

	switch {
	case ctx.Err() != nil:
		first = ctx.Err()
	case r.prepareErr != nil:
		first = r.prepareErr
	}

	r.emit(Event{Event: EventRunEnd, Total: total, Hits: sum.Hits, Executed: sum.Executed, Failures: sum.Failures})
	if sum.Executed+sum.Failures > 0 || slices.ContainsFunc(r.outcomes, (*Outcome).Interrupted) {
		if err := r.writeJournal(); err != nil && first == nil {
			first = err
		}

		// An error of trimming the cache does not fail the run.
		_, _, _ = r.Store.Trim(ctx)
	}

	return r.outcomes, sum, withDifferences(r.outcomes, first)
}

// reader returns the first selected instance that needs another one.
func (r *run) reader(of int, selected []selection) string {
	needs := make([]bool, len(r.outcomes))
	needs[of] = true
	for i, in := range r.plan.Instances {
		for _, u := range in.Upstream {
			needs[i] = needs[i] || needs[u]
		}
		if needs[i] && selected[i] == selectRun {
			return in.String()
		}
	}
	return "" // only what a selected instance needs is looked at
}

// visit brings one instance up to date.
func (r *run) visit(ctx context.Context, i int, sel selection, work *workDir) {
	o := r.outcomes[i]
	switch {
	case o.Instance.Off != "":
		o.State, o.Reasons = Off, []string{o.Instance.Off}
		if sel == selectRun {
			r.emitFor(o, Event{Event: EventOff, Reasons: o.Reasons})
		}

		return
	case sel == selectNothing:
		o.State = Skipped
		if o.Instance.OnDemand {
			o.Reasons = onDemand(o.Instance)
		}

		return
	}

	up := r.blocked(o)
	if up == nil {
		up = r.blockedAfter(o)
	}

	if up != nil {
		o.skip(up)
		if o.State == Skipped && sel == selectRun {
			r.emitSkipped(o)
		}

		return
	}

	if ctx.Err() != nil {
		o.State = Canceled
		return
	}

	err := r.evaluate(o)
	if err == nil && o.State == Hit && sel == selectRun && r.opts.Force {
		o.State, o.Reasons = Miss, []string{"forced"}
	}

	switch {
	case err != nil:
	case o.State == Hit:
		if sel == selectRun {
			r.emitHit(o)
		}

		return
	case sel == selectHit:
		o.State, o.Err, o.stale = Skipped, r.redactError(&StaleError{Outcome: o}), true
		r.stop(o)
		return
	default:
		if err = r.slots.Acquire(ctx, 1); err != nil {
			break // ctx has ended
		}

		defer r.slots.Release(1)
		if cause := r.stoppedBy(); cause != nil {
			o.skip(cause)
			r.emitSkipped(o)
			return
		}

		if !r.prepared() {
			o.State = Canceled
			return
		}

		err = r.execute(ctx, o, work)
	}

	if err == nil {
		return
	}

	if ctx.Err() != nil {
		o.State = Canceled
		return
	}

	err = r.redactError(err)
	o.State, o.Err = Failed, err
	r.progress.finish(i)
	r.emitFor(o, r.withProgress(Event{Event: EventFailed, Key: o.Key.String(), ExitCode: o.ExitCode, Error: err.Error(),
		DurationMS: o.Duration.Milliseconds()}))
	r.stop(o)
}

// prepare returns the reason why no instance can be executed, or nil. It is no failure of a stage.
func (r *run) prepare(ctx context.Context) error {
	if err := r.Store.Writable("running stages"); err != nil {
		return err
	}
	if p, ok := r.Executor.(preparer); ok {
		return p.Prepare(ctx)
	}
	return nil
}

// skip makes the outcome that of an instance that cannot run because of another one.
func (o *Outcome) skip(because *Outcome) {
	o.State, o.Cause, o.stale = Skipped, because.Cause, because.stale
	switch {
	case because.State == Canceled:
		o.State = Canceled
	case because.Err != nil:
		o.Cause = because.Instance.String()
	}
}

// stop waits for running instances and starts no new ones, unless the run is to keep going.
func (r *run) stop(failed *Outcome) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.failedBy == nil && !r.opts.KeepGoing {
		r.failedBy = failed
	}
}

func (r *run) stoppedBy() *Outcome {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.failedBy
}
