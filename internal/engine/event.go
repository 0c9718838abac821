package engine

import (
	"time"

	"github.com/touchstone-eval/touchstone/cache"
)

// Event is one line of the event log. Fields that do not apply are absent.
type Event struct {
	Time     time.Time `json:"time"`
	Event    EventKind `json:"event"`
	Stage    string    `json:"stage,omitempty"`
	Instance string    `json:"instance,omitempty"`
	Key      string    `json:"key,omitempty"`
	Reasons  []string  `json:"reasons,omitempty"`
	// DurationMS is the duration of the instance. ExpectedMS is the duration of
	// its last execution, or 0 if it never ran.
	DurationMS int64  `json:"duration_ms,omitempty"`
	ExpectedMS int64  `json:"expected_ms,omitempty"`
	Attempt    int    `json:"attempt,omitempty"`
	ExitCode   int    `json:"exit_code,omitempty"`
	Error      string `json:"error,omitempty"`
	Cause      string `json:"cause,omitempty"`
	// Total is the number of selected instances, in run_start, run_end, start,
	// done and failed. In the last three, Done is the number of those that have
	// finished, and LeftMS an estimate of the remaining time, or absent.
	Total    int   `json:"total,omitempty"`
	Done     int   `json:"done,omitempty"`
	LeftMS   int64 `json:"left_ms,omitempty"`
	Hits     int   `json:"hits,omitempty"`
	Executed int   `json:"executed,omitempty"`
	Failures int   `json:"failures,omitempty"`
	// Origin says in a hit where the result comes from. It is absent if this
	// machine made it.
	Origin *cache.Origin `json:"origin,omitempty"`
}

// EventKind is the kind of an event.
type EventKind string

// Kinds of event, in their possible order for an instance.
const (
	EventRunStart EventKind = "run_start"
	EventOff      EventKind = "off"
	EventHit      EventKind = "hit"
	EventWaits    EventKind = "waits" // for another run, which executes it
	EventStart    EventKind = "start"
	EventQueued   EventKind = "queued" // it waits for a worker
	EventBegun    EventKind = "begun"  // it has one
	EventRetry    EventKind = "retry"
	EventDone     EventKind = "done"
	EventFailed   EventKind = "failed"
	EventSkipped  EventKind = "skipped" // Error is set if its cause did not fail
	EventRunEnd   EventKind = "run_end"
)

func (r *run) emit(e Event) {
	if r.Events == nil {
		return
	}
	e.Time = r.Now().UTC()
	e.Error, e.Reasons = r.hidden.Text(e.Error), r.hideAll(e.Reasons)
	r.eventMu.Lock()
	defer r.eventMu.Unlock()
	r.Events(e)
}

func (r *run) emitFor(o *Outcome, e Event) {
	e.Stage, e.Instance = o.Instance.Stage, o.Instance.Name()
	r.emit(e)
}

// emitSkipped reports an instance that cannot run.
func (r *run) emitSkipped(o *Outcome) {
	e := Event{Event: EventSkipped, Cause: o.Cause}
	if o.stale {
		e.Error = o.Cause + " is not up to date"
	}
	r.emitFor(o, e)
}

// emitHit reports an instance whose result is already in the cache.
func (r *run) emitHit(o *Outcome) {
	if r.Events != nil && !r.OmitHits {
		r.emitFor(o, Event{Event: EventHit, Key: o.Key.String(), ExpectedMS: o.Duration.Milliseconds(),
			Origin: o.Origin})
	}
}
