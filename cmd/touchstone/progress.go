package main

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/touchstone-eval/touchstone/internal/engine"
	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
)

// progress shows a run in progress on standard error.
type progress interface {
	event(engine.Event)
	close()
}

// progressModes are the words of --progress.
var progressModes = []string{"auto", "tty", "plain", "json", "quiet"}

func newProgress(mode string, quiet bool, w io.Writer) (progress, error) {
	screen, isTerminal := terminal(w)
	if mode == "auto" || mode == "" {
		switch {
		case quiet:
			mode = "quiet"
		case isTerminal:
			mode = "tty"
		default:
			mode = "plain"
		}
	}
	switch mode {
	case "tty":
		if isTerminal {
			w = screen // mpb draws on files only; no event holds a secret
		}
		return &ttyProgress{w: w, bars: map[string]*mpb.Bar{}}, nil
	case "plain":
		return &plainProgress{w: w}, nil
	case "json":
		return eventProgress((&eventLog{w: w}).event), nil
	case "quiet":
		return eventProgress(func(engine.Event) {}), nil
	default:
		return nil, fmt.Errorf("unknown --progress %q: use auto, tty, plain, json or quiet", mode)
	}
}

// eventProgress passes every event to a function.
type eventProgress func(engine.Event)

func (p eventProgress) event(e engine.Event) { p(e) }
func (p eventProgress) close()               {}

// plainProgress prints a line for each executed stage. It does not print cache hits, which the
// summary counts.
type plainProgress struct {
	w       io.Writer
	skipped skips

	mu     sync.Mutex
	queued map[string]bool // stages that wait for a worker
	timer  *time.Timer
}

// patience is how long stages wait for a worker before a line says so, once in a run.
const patience = 10 * time.Second

func (p *plainProgress) event(e engine.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if e.Event == engine.EventSkipped {
		p.skipped.add(e)
	} else if line := eventLine(e); line != "" {
		fmt.Fprintln(p.w, line)
	}
	if e.Event != engine.EventQueued {
		delete(p.queued, eventName(e))
		return
	}
	if p.queued == nil {
		p.queued = map[string]bool{}
		p.timer = time.AfterFunc(patience, p.waits)
	}
	p.queued[eventName(e)] = true
}

// waits says which stages wait for a worker.
func (p *plainProgress) waits() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.queued) > 0 {
		first := slices.Sorted(maps.Keys(p.queued))[0]
		fmt.Fprintf(p.w, "wait  %s: no worker is free (%s)\n", first, counted(len(p.queued), "stage waits", "stages wait"))
	}
}

func (p *plainProgress) close() {
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

// skips collects skipped instances, so that a failure at the start of a pipeline is not followed
// by a line for each of them.
type skips struct{ events []engine.Event }

func (s *skips) add(e engine.Event) { s.events = append(s.events, e) }

// mostSkipped is the number of skipped stages that a line names.
const mostSkipped = 3

// lines returns a line for each cause: "skip  aggregate, gate, render and 2 more: build failed".
func (s *skips) lines() []string {
	var causes, lines []string
	names := map[string][]string{}
	for _, e := range s.events {
		if names[e.Cause] == nil {
			causes = append(causes, e.Cause)
		}
		names[e.Cause] = append(names[e.Cause], eventName(e))
	}
	for _, cause := range causes {
		shown := names[cause]
		more := ""
		if n := len(shown) - mostSkipped; n > 0 {
			shown, more = shown[:mostSkipped], fmt.Sprintf(" and %d more", n)
		}
		lines = append(lines, fmt.Sprintf("skip  %s%s: %s failed", strings.Join(shown, ", "), more, cause))
	}
	s.events = nil
	return lines
}

func eventLine(e engine.Event) string {
	took := seconds(time.Duration(e.DurationMS) * time.Millisecond)
	switch e.Event {
	case engine.EventStart:
		why := ""
		if len(e.Reasons) > 0 {
			why = "  (" + e.Reasons[0] + ")"
		}
		return "run   " + eventName(e) + why
	case engine.EventRetry:
		return fmt.Sprintf("retry %s: attempt %d: %s", eventName(e), e.Attempt, e.Error)
	case engine.EventDone:
		return fmt.Sprintf("done  %s  %s%s", eventName(e), took, position(e))
	case engine.EventFailed:
		return fmt.Sprintf("FAIL  %s: %s", eventName(e), e.Error)
	default:
		return ""
	}
}

// shortRun is the remaining time below which nobody waits for an estimate.
const shortRun = 3 * time.Second

// position formats how far a run is: "  (7 of 27, about 12 s left)".
func position(e engine.Event) string {
	if e.Total < 2 {
		return ""
	}
	left := time.Duration(e.LeftMS) * time.Millisecond
	if left < shortRun {
		return fmt.Sprintf("  (%d of %d)", e.Done, e.Total)
	}
	text := left.Round(time.Second).String() // 1m12s
	if left < time.Minute {
		text = fmt.Sprintf("%d s", int(left.Round(time.Second).Seconds()))
	}
	return fmt.Sprintf("  (%d of %d, about %s left)", e.Done, e.Total, text)
}

func eventName(e engine.Event) string {
	if e.Instance == "" {
		return e.Stage
	}
	return e.Stage + "[" + e.Instance + "]"
}

// ttyProgress shows a line for each running stage with elapsed and expected time, and prints a
// line for each stage that has ended. It draws nothing for a run with only cache hits.
type ttyProgress struct {
	w       io.Writer
	mu      sync.Mutex
	all     *mpb.Progress
	bars    map[string]*mpb.Bar
	waits   map[string]*atomic.Bool // for a worker
	skipped skips
	overall *mpb.Bar
	// place is the position of the run. The goroutine that draws reads it, and
	// must not wait for mu, because events wait for that goroutine.
	place atomic.Value
}

func (p *ttyProgress) event(e engine.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch e.Event {
	case engine.EventStart:
		if p.all == nil {
			p.all = mpb.New(mpb.WithOutput(p.w), mpb.WithAutoRefresh(), mpb.WithWidth(24), mpb.WithRefreshRate(100*time.Millisecond))
		}
		// A stage that is run again may have failed before, which is reported for
		// the stage that needs it.
		if before := p.bars[eventName(e)]; before != nil {
			before.Abort(true)
		}
		p.bars[eventName(e)] = p.bar(e)
		if p.overall == nil && e.Total > 1 {
			p.overall = p.overallBar(e)
		}
		p.advance(e)
	case engine.EventDone, engine.EventFailed:
		if bar := p.bars[eventName(e)]; bar != nil {
			bar.Abort(true)
			delete(p.bars, eventName(e))
		}
		p.advance(e)
		p.line(eventLine(e))
	case engine.EventQueued, engine.EventBegun:
		if waits := p.waits[eventName(e)]; waits != nil {
			waits.Store(e.Event == engine.EventQueued)
		}
	case engine.EventRetry:
		p.line(eventLine(e))
	case engine.EventSkipped:
		p.skipped.add(e)
	}
}

// overallBar shows how many stages have finished, below the running ones.
func (p *ttyProgress) overallBar(e engine.Event) *mpb.Bar {
	p.place.Store(position(e))
	fill := mpb.BarStyle().Lbound("").Rbound("").Filler("━").Tip("━").Padding("─")
	return p.all.New(int64(e.Total)+1, fill, // a full bar would be removed
		mpb.BarPriority(math.MaxInt32), mpb.BarRemoveOnComplete(),
		mpb.PrependDecorators(decor.Name("all stages ", decor.WC{W: 34, C: decor.DindentRight})),
		mpb.AppendDecorators(decor.Any(func(decor.Statistics) string { return p.place.Load().(string) })),
	)
}

func (p *ttyProgress) advance(e engine.Event) {
	if p.overall != nil && e.Total > 1 {
		p.place.Store(position(e))
		p.overall.SetCurrent(int64(e.Done))
	}
}

// bar shows one running stage. With an expected time, the bar fills up to it.
func (p *ttyProgress) bar(e engine.Event) *mpb.Bar {
	start := time.Now()
	expected := time.Duration(e.ExpectedMS) * time.Millisecond
	waits := &atomic.Bool{}
	if p.waits == nil {
		p.waits = map[string]*atomic.Bool{}
	}
	p.waits[eventName(e)] = waits
	after := func(decor.Statistics) string {
		if waits.Load() {
			return " waits for a worker"
		}
		elapsed := seconds(time.Since(start).Round(100 * time.Millisecond))
		if expected == 0 {
			return " " + elapsed
		}
		return fmt.Sprintf(" %s of about %s", elapsed, seconds(expected))
	}
	fill := mpb.BarStyle().Lbound("").Rbound("").Filler("━").Tip("━").Padding("─")
	bar := p.all.New(max(1, expected.Milliseconds()), fill,
		mpb.BarRemoveOnComplete(),
		mpb.PrependDecorators(decor.Name(eventName(e)+" ", decor.WC{W: 34, C: decor.DindentRight})),
		mpb.AppendDecorators(decor.Any(func(s decor.Statistics) string { return after(s) })),
	)
	if expected > 0 {
		go func() {
			tick := time.NewTicker(100 * time.Millisecond)
			defer tick.Stop()
			for range tick.C {
				if bar.Aborted() || bar.Completed() {
					return
				}
				// Stay one below the total: a full bar is removed.
				bar.SetCurrent(min(time.Since(start).Milliseconds(), expected.Milliseconds()-1))
			}
		}()
	}
	return bar
}

func (p *ttyProgress) line(s string) {
	if p.all != nil {
		fmt.Fprintln(p.all, s)
		return
	}
	fmt.Fprintln(p.w, s)
}

func (p *ttyProgress) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, bar := range p.bars {
		bar.Abort(true)
	}
	if p.overall != nil {
		p.overall.Abort(true)
	}
	for _, line := range p.skipped.lines() {
		p.line(line)
	}
	if p.all != nil {
		p.all.Wait()
	}
}
