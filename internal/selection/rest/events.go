package rest

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/touchstone-eval/touchstone/internal/selection"
	"github.com/touchstone-eval/touchstone/internal/selection/runner"
	"github.com/touchstone-eval/touchstone/internal/selection/store"
)

// pollInterval is how often a stream reads the database, for events that it lost, and
// shows the client that the connection is alive.
const pollInterval = 5 * time.Second

// sendTimeout is how long a client may take to accept an event.
const sendTimeout = 30 * time.Second

// progress is where the runs of a batch stand.
type progress struct {
	BatchID   string `json:"batch_id"`
	Total     int    `json:"total"`
	Pending   int    `json:"pending"`
	Running   int    `json:"running"`
	Completed int    `json:"completed"`
	Failed    int    `json:"failed"`
}

func (s *Service) addEvents() {
	stream := map[string]*huma.Response{"200": {
		Description: "Server-sent events",
		Content:     map[string]*huma.MediaType{"text/event-stream": {Schema: &huma.Schema{Type: huma.TypeString}}},
	}}
	register(s, huma.Operation{
		OperationID: "run-events", Method: http.MethodGet, Path: runsPath + "/{id}/events", Tags: []string{"runs"},
		Responses:   stream,
		Summary:     "Follow a run",
		Description: "Events named run: the present status, then each change. The stream ends with the run.",
	}, func(ctx context.Context, in *struct {
		ID string `path:"id" maxLength:"100"`
	}) (*huma.StreamResponse, error) {
		if _, err := s.Store.Run(ctx, in.ID); err != nil {
			return nil, err
		}

		last := selection.RunStatus("")
		return s.stream(func(e runner.Event) bool { return e.RunID == in.ID },
			func(ctx context.Context, send sender) (bool, error) {
				run, err := s.Store.Run(ctx, in.ID)
				if err != nil || run.Status == last {
					return false, err
				}

				last = run.Status
				return run.Ended(), send("run", runner.Event{
					RunID: run.ID, BatchID: run.BatchID, Status: run.Status, Classification: run.Classification,
					Error: run.Error,
				})
			}), nil
	})
	register(s, huma.Operation{
		OperationID: "batch-events", Method: http.MethodGet, Path: batchesPath + "/{id}/events", Tags: []string{"runs"},
		Responses: stream,
		Summary:   "Follow a batch",
		Description: "Events named progress: how many runs are pending, running, completed and failed. The stream " +
			"ends when all have ended.",
	}, func(ctx context.Context, in *struct {
		ID string `path:"id" maxLength:"100"`
	}) (*huma.StreamResponse, error) {
		batch, err := s.Store.Batch(ctx, in.ID)
		if err != nil {
			return nil, err
		}

		var last progress
		return s.stream(func(e runner.Event) bool { return e.BatchID == batch.ID },
			func(ctx context.Context, send sender) (bool, error) {
				now, err := s.progress(ctx, batch.ID)
				if err != nil || now == last {
					return false, err
				}

				last = now
				return now.Pending+now.Running == 0, send("progress", now)
			}), nil
	})
}

func (s *Service) progress(ctx context.Context, batch string) (progress, error) {
	n, err := s.Store.CountRuns(ctx, store.RunFilter{BatchID: batch})
	p := progress{
		BatchID: batch, Pending: n[selection.Pending], Running: n[selection.Running],
		Completed: n[selection.Completed], Failed: n[selection.Failed],
	}
	p.Total = p.Pending + p.Running + p.Completed + p.Failed
	return p, err
}

type sender func(name string, data any) error

// stream calls show at once, after each event that concerns it, and from time to
// time, until show is done or the client or the runner is gone.
func (s *Service) stream(concerns func(runner.Event) bool,
	show func(context.Context, sender) (done bool, err error)) *huma.StreamResponse {
	return &huma.StreamResponse{Body: func(hc huma.Context) {
		r, w := humago.Unwrap(hc)
		events, unsubscribe := s.Runner.Subscribe()
		defer unsubscribe()
		w.Header().Set("Content-Type", "text/event-stream")
		w.Header().Set("Cache-Control", "no-store")
		w.WriteHeader(http.StatusOK)
		control := http.NewResponseController(w)
		write := func(text string) error {
			if err := control.SetWriteDeadline(time.Now().Add(sendTimeout)); err != nil {
				return err
			}

			if _, err := io.WriteString(w, text); err != nil {
				return err
			}

			return control.Flush()
		}
		send := func(name string, data any) error {
			text, err := json.Marshal(data)
			if err != nil {
				return err
			}

			return write("event: " + name + "\ndata: " + string(text) + "\n\n")
		}
		defer func() { _ = control.SetWriteDeadline(time.Time{}) }() // the connection may serve another request
		again := time.NewTicker(pollInterval)
		defer again.Stop()
		for {
			done, err := show(r.Context(), send)
			if done || err != nil {
				return
			}

			if !s.awaitEvent(r.Context(), events, again, concerns, write) {
				// Events end with the runner: the last state is worth showing.
				_, _ = show(r.Context(), send)
				return
			}
		}
	}}
}

// awaitEvent returns when an event concerns the stream, or it is time to look
// again, and false when no event can come any more. It drains the
// queued events, because one look shows them all.
func (s *Service) awaitEvent(ctx context.Context, events <-chan runner.Event, again *time.Ticker,
	concerns func(runner.Event) bool, write func(string) error) bool {
	for {
		select {
		case e, open := <-events:
			if !open {
				return false
			}

			if !concerns(e) {
				continue
			}

			for range len(events) {
				if _, open := <-events; !open {
					return false
				}
			}

			return true
		case <-again.C:
			return write(": alive\n\n") == nil
		case <-ctx.Done():
			return false
		}
	}
}
