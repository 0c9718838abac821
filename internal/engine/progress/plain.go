package progress

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/touchstone-eval/touchstone/internal/engine"
)

// plain prints a line for each executed stage. It does not print cache hits, which the
// summary counts.
type plain struct {
	w       io.Writer
	skipped skips

	mu     sync.Mutex
	queued map[string]bool // stages that wait for a worker
	timer  *time.Timer
	// running holds the stages that run. While there are some, a line comes at least every period.
	running map[string]running
	latest  engine.Event // with the progress of the run
	period  time.Duration
	still   *time.Timer
}

// running is a stage that runs.
type running struct {
	since    time.Time
	expected time.Duration // 0 if unknown
}

// stillPeriod is the longest time without a line while a stage runs. Some hosts of CI end a job that
// prints nothing for long.
const stillPeriod = 15 * time.Second

// noticeDelay is how long stages wait for a worker before a line says so, once in a run.
const noticeDelay = 10 * time.Second

func (p *plain) Event(e engine.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if e.Event == engine.EventSkipped {
		p.skipped.add(e)
	} else if text := line(e); text != "" {
		fmt.Fprintln(p.w, text)
	}

	p.follow(e)

	if e.Event != engine.EventQueued {
		delete(p.queued, name(e))
		return
	}

	if p.queued == nil {
		p.queued = map[string]bool{}
		p.timer = time.AfterFunc(noticeDelay, p.waits)
	}

	p.queued[name(e)] = true
}

// waits says which stages wait for a worker.
func (p *plain) waits() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.queued) > 0 {
		waiting := "1 stage waits"
		if n := len(p.queued); n > 1 {
			waiting = fmt.Sprintf("%d stages wait", n)
		}
		first := slices.Sorted(maps.Keys(p.queued))[0]
		fmt.Fprintf(p.w, "wait  %s: no worker is free (%s)\n", first, waiting)
	}
}

// follow keeps track of the stages that run.
func (p *plain) follow(e engine.Event) {
	switch e.Event {
	case engine.EventStart:
		if p.running == nil {
			p.running = map[string]running{}
		}

		p.running[name(e)] = running{time.Now(), time.Duration(e.ExpectedMS) * time.Millisecond}
	case engine.EventDone, engine.EventFailed:
		delete(p.running, name(e))
	default:
		return
	}

	if e.Total > 0 {
		p.latest = e
	}

	period := cmp.Or(p.period, stillPeriod)
	if p.still == nil {
		p.still = time.AfterFunc(period, p.stillRuns)
		return
	}

	p.still.Reset(period)
}

// stillRuns prints which stage has run longest, and how far the run is.
func (p *plain) stillRuns() {
	p.mu.Lock()
	defer p.mu.Unlock()
	longest := ""
	for _, name := range slices.Sorted(maps.Keys(p.running)) {
		if longest == "" || p.running[name].since.Before(p.running[longest].since) {
			longest = name
		}
	}

	if longest == "" {
		return
	}

	r := p.running[longest]
	took := Took(time.Since(r.since).Round(time.Second))
	if r.expected > 0 {
		took += " of about " + Took(r.expected)
	}

	others := ""
	if n := len(p.running) - 1; n > 0 {
		others = fmt.Sprintf(" and %d more", n)
	}

	fmt.Fprintf(p.w, "still %s%s  %s%s\n", longest, others, took, progressText(p.latest))
	p.still.Reset(cmp.Or(p.period, stillPeriod))
}

func (p *plain) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.still != nil {
		p.still.Stop()
		p.running = nil
	}

	if p.timer != nil {
		p.timer.Stop()
		p.queued = nil
	}
	for _, line := range p.skipped.lines() {
		fmt.Fprintln(p.w, line)
	}
}
