package progress

import (
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
}

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

func (p *plain) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.timer != nil {
		p.timer.Stop()
		p.queued = nil
	}
	for _, line := range p.skipped.lines() {
		fmt.Fprintln(p.w, line)
	}
}
