// Package runner executes runs: it ingests the tools of a case's servers, sends
// the query to the model, scores the answer and stores the result.
//
// Every run ends as completed or as failed with a reason. If a process ends
// before its runs, the next process that owns the database marks them as
// failed.
package runner

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/touchstone-eval/touchstone/internal/selection"
	"github.com/touchstone-eval/touchstone/internal/selection/model"
	"github.com/touchstone-eval/touchstone/internal/selection/modelsettings"
	"github.com/touchstone-eval/touchstone/internal/selection/store"
)

// Lister lists the tools of a server.
type Lister interface {
	List(context.Context, selection.Server) ([]selection.Tool, error)
}

// Options are the settings of a Runner.
type Options struct {
	// Workers is the number of concurrent runs; 0 means 8.
	Workers int
	// AllowUndescribed allows runs to offer tools without a description.
	AllowUndescribed bool
	// Models are the prices, rates and keys of models. Optional.
	Models *modelsettings.Models
	// Client sends the requests to providers. Optional.
	Client *http.Client
	// Play is the cassette of the provider replay. Optional.
	Play *model.Cassette
	// Record receives the answers of other providers. Optional.
	Record *model.Cassette
	// Judge checks the described rules of cases. Optional: without it, values under
	// such rules are not judged.
	Judge *Judge
	// Waiting is called before each wait for a provider. Optional.
	Waiting func(provider string, status int, wait time.Duration)
}

const defaultWorkers = 8

// Runner executes runs of one database, which it owns. Several goroutines may
// call its methods.
type Runner struct {
	store   *store.Store
	lister  Lister
	options Options
	slots   chan struct{}

	// Close cancels ctx, and with it all runs.
	ctx  context.Context
	stop context.CancelCauseFunc
	work sync.WaitGroup

	mu          sync.Mutex
	closed      bool
	active      map[string]*activeRun
	subscribers map[chan Event]bool
}

type activeRun struct {
	cancel context.CancelCauseFunc
	done   chan struct{}
}

// Event reports that the status of a run has changed.
type Event struct {
	RunID          string                   `json:"run_id"`
	BatchID        string                   `json:"batch_id"`
	Status         selection.RunStatus      `json:"status"`
	Classification selection.Classification `json:"classification,omitempty"`
	Error          string                   `json:"error_message,omitempty"`
}

var errCancelled = errors.New(selection.Cancelled)

// ErrClosed means that a runner accepts no more work.
var ErrClosed = errors.New("the runner is closing")

// New takes ownership of the database and marks the unfinished runs of another
// process as failed.
func New(ctx context.Context, s *store.Store, lister Lister, o Options) (*Runner, error) {
	if err := s.Own(); err != nil {
		return nil, err
	}

	if _, err := s.FailInterrupted(ctx); err != nil {
		return nil, fmt.Errorf("end the runs of an earlier process: %w", err)
	}

	if o.Workers <= 0 {
		o.Workers = defaultWorkers
	}

	r := &Runner{
		store: s, lister: lister, options: o, slots: make(chan struct{}, o.Workers),
		active: map[string]*activeRun{}, subscribers: map[chan Event]bool{},
	}
	r.ctx, r.stop = context.WithCancelCause(context.Background())
	return r, nil
}

// Close cancels all runs and waits until each of them is stored as failed.
func (r *Runner) Close() {
	r.mu.Lock()
	r.closed = true
	r.mu.Unlock()
	r.stop(errCancelled)
	r.work.Wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	for c := range r.subscribers {
		delete(r.subscribers, c)
		close(c)
	}
}

// Batch is a set of runs: each case with each of the settings, repeated.
type Batch struct {
	Label    string
	CaseIDs  []string
	Settings []selection.Settings
	Repeats  int // 0 means 1
	// Descriptions replace those of tools, by server:tool. Optional.
	Descriptions map[string]string
	// Key is the provider's API key, in place of those of Options.Models. It is kept
	// until the batch has ended.
	Key model.Key
}

// MaxBatch is the largest number of runs in one batch.
const MaxBatch = 100_000

// Start creates the runs of a batch and executes them in the background. It
// fails immediately if a model cannot be used, for example without a key.
func (r *Runner) Start(ctx context.Context, b Batch) (batchID string, runIDs []string, err error) {
	repeats := max(1, b.Repeats)
	total := len(b.CaseIDs) * len(b.Settings) * repeats
	switch {
	case total == 0:
		return "", nil, fmt.Errorf("%w: a batch without runs: name at least one case and one model", store.ErrInvalid)
	case total > MaxBatch:
		return "", nil, fmt.Errorf("%w: a batch of %d runs, but the most are %d: name fewer cases or models, or "+
			"repeat them less often", store.ErrInvalid, total, MaxBatch)
	}

	models := make([]model.Model, len(b.Settings))
	for i := range b.Settings {
		if err := b.Settings[i].Validate(); err != nil {
			return "", nil, fmt.Errorf("%w: %w", store.ErrInvalid, err)
		}

		if r.options.Play != nil {
			if b.Settings[i], err = r.options.Play.AsRecorded(b.Settings[i]); err != nil {
				return "", nil, fmt.Errorf("%w: %w", store.ErrInvalid, err)
			}
		}

		if models[i], err = r.model(b.Settings[i], b.Key); err != nil {
			return "", nil, fmt.Errorf("%w: %w", store.ErrInvalid, err)
		}
	}

	var runs []store.NewRun
	var jobs []job
	shared := &listings{lister: r.lister, byName: map[string]*listed{}}
	for repeat := 1; repeat <= repeats; repeat++ {
		for _, id := range b.CaseIDs {
			for i, s := range b.Settings {
				runs = append(runs, store.NewRun{CaseID: id, Settings: s, Repeat: repeat})
				jobs = append(jobs, job{model: models[i], listings: shared, descriptions: b.Descriptions})
			}
		}
	}

	if batchID, runIDs, err = r.store.CreateBatch(ctx, b.Label, runs); err != nil {
		return "", nil, err
	}

	for i := range jobs {
		jobs[i].runID, jobs[i].batchID = runIDs[i], batchID
	}

	return batchID, runIDs, r.launch(jobs, RequestSecrets(ctx))
}

// Retry executes a finished run again, as a new run of its batch.
func (r *Runner) Retry(ctx context.Context, runID string, key model.Key) (newRunID string, err error) {
	ids, err := r.RetryAll(ctx, []string{runID}, key)
	if err != nil {
		return "", err
	}
	return ids[0], nil
}

// RetryAll executes runs that have ended again, as new runs of their batches,
// which are offered the same tools. It creates none where one of the runs has not
// ended, or its model cannot be used.
func (r *Runner) RetryAll(ctx context.Context, runIDs []string, key model.Key) (newRunIDs []string, err error) {
	var jobs []job
	shared := &listings{lister: r.lister, byName: map[string]*listed{}}
	for _, id := range runIDs {
		old, err := r.store.Run(ctx, id)
		if err != nil {
			return nil, err
		}

		if err := store.CanRetry(old); err != nil {
			return nil, err
		}

		m, err := r.model(old.Settings, key)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", store.ErrInvalid, err)
		}

		jobs = append(jobs, job{batchID: old.BatchID, model: m, listings: shared})
	}

	for i, id := range runIDs {
		if jobs[i].runID, err = r.store.RetryRun(ctx, id); err != nil {
			jobs = jobs[:i] // those that were created are executed
			break
		}

		newRunIDs = append(newRunIDs, jobs[i].runID)
	}

	return newRunIDs, errors.Join(err, r.launch(jobs, RequestSecrets(ctx)))
}

func (r *Runner) model(s selection.Settings, key model.Key) (model.Model, error) {
	o, err := r.options.Models.Options(s, model.Options{
		Key: key, Client: r.options.Client, Cassette: r.options.Play, Waiting: r.options.Waiting,
	})
	if err != nil {
		return nil, err
	}

	m, err := model.New(s, o)
	if err != nil {
		return nil, err
	}

	if r.options.Record != nil && s.Provider != "replay" {
		return model.NewRecorder(m, r.options.Record, s, o.Key)
	}

	return m, nil
}

// launch passes jobs to workers. It registers all of them as active before it
// returns, so that each can be cancelled.
func (r *Runner) launch(jobs []job, secrets map[string]string) error {
	r.mu.Lock()
	closed := r.closed
	type started struct {
		job
		ctx context.Context
		run *activeRun
	}
	var all []started
	if !closed {
		r.work.Add(1)
		for _, j := range jobs {
			ctx, cancel := context.WithCancelCause(WithRequestSecrets(r.ctx, secrets))
			a := &activeRun{cancel: cancel, done: make(chan struct{})}
			r.active[j.runID] = a
			all = append(all, started{j, ctx, a})
		}
	}

	r.mu.Unlock()
	if closed {
		for _, j := range jobs {
			r.end(j, nil, 0, ErrClosed)
		}

		return ErrClosed
	}

	go func() {
		defer r.work.Done()
		var group sync.WaitGroup
		for _, j := range all {
			// A cancelled run does not wait any longer.
			select {
			case r.slots <- struct{}{}:
				group.Go(func() {
					defer func() { <-r.slots }()
					r.execute(j.ctx, j.job, j.run)
				})
			case <-j.ctx.Done():
				r.execute(j.ctx, j.job, j.run)
			}
		}

		group.Wait()
	}()
	return nil
}

// Cancel ends a pending or running run as failed with "cancelled", and returns
// when it has ended. For a run that has ended already it returns ErrConflict.
func (r *Runner) Cancel(ctx context.Context, runID string) error {
	r.mu.Lock()
	a := r.active[runID]
	r.mu.Unlock()
	// A pending run may be behind others in the queue, so end it here.
	err := r.store.CancelPending(context.WithoutCancel(ctx), runID)
	if err == nil {
		if a != nil {
			a.cancel(errCancelled)
		}

		if run, err := r.store.Run(context.WithoutCancel(ctx), runID); err == nil {
			r.publish(Event{RunID: runID, BatchID: run.BatchID, Status: selection.Failed, Error: selection.Cancelled})
		}

		return nil
	}

	if !errors.Is(err, store.ErrConflict) {
		return err
	}

	run, err := r.store.Run(ctx, runID)
	if err != nil {
		return err
	}

	if run.Status == selection.Running && a != nil {
		a.cancel(errCancelled)
		select {
		case <-a.done:
		case <-ctx.Done():
			return ctx.Err()
		}

		if run, err = r.store.Run(ctx, runID); err != nil {
			return err
		}

		if run.Error == selection.Cancelled {
			return nil
		}
	}

	return fmt.Errorf("cancel run %q: %w: it is %s", runID, store.ErrConflict, run.Status)
}

// Wait returns when the runs have ended or ctx is done.
func (r *Runner) Wait(ctx context.Context, runIDs []string) error {
	for _, id := range runIDs {
		r.mu.Lock()
		a := r.active[id]
		r.mu.Unlock()
		if a == nil {
			continue
		}

		select {
		case <-a.done:
		case <-ctx.Done():
			return ctx.Err()
		}
	}

	return nil
}

// eventBuffer is the number of events that a subscriber may be behind before it
// loses events.
const eventBuffer = 1024

// Subscribe delivers events until the returned function is called or the runner
// closes, which closes the channel. A slow subscriber loses events, and can
// read the runs' statuses from the store.
func (r *Runner) Subscribe() (<-chan Event, func()) {
	c := make(chan Event, eventBuffer)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		close(c)
		return c, func() {}
	}

	r.subscribers[c] = true
	return c, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.subscribers[c] {
			delete(r.subscribers, c)
			close(c)
		}
	}
}

func (r *Runner) publish(e Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for c := range r.subscribers {
		select {
		case c <- e:
		default:
		}
	}
}
