package progress

import (
	"fmt"
	"io"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"github.com/touchstone-eval/touchstone/internal/engine"
)

// terminal shows a line for each running stage with elapsed and expected time, and prints a
// line for each stage that has ended. It draws nothing for a run with only cache hits.
type terminal struct {
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

func (p *terminal) Event(e engine.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch e.Event {
	case engine.EventStart:
		if p.all == nil {
			p.all = mpb.New(mpb.WithOutput(p.w), mpb.WithAutoRefresh(), mpb.WithWidth(24),
				mpb.WithRefreshRate(100*time.Millisecond))
		}

		// A stage that is run again may have failed before, which is reported for
		// the stage that needs it.
		if before := p.bars[name(e)]; before != nil {
			before.Abort(true)
		}

		p.bars[name(e)] = p.bar(e)
		if p.overall == nil && e.Total > 1 {
			p.overall = p.overallBar(e)
		}

		p.advance(e)
	case engine.EventDone, engine.EventFailed:
		if bar := p.bars[name(e)]; bar != nil {
			bar.Abort(true)
			delete(p.bars, name(e))
		}

		p.advance(e)
		p.print(line(e))
	case engine.EventQueued, engine.EventBegun:
		if waits := p.waits[name(e)]; waits != nil {
			waits.Store(e.Event == engine.EventQueued)
		}
	case engine.EventRetry, engine.EventWaits:
		p.print(line(e))
	case engine.EventSkipped:
		p.skipped.add(e)
	}
}

// overallBar shows how many stages have finished, below the running ones.
func (p *terminal) overallBar(e engine.Event) *mpb.Bar {
	p.place.Store(progressText(e))
	fill := mpb.BarStyle().Lbound("").Rbound("").Filler("━").Tip("━").Padding("─")
	return p.all.New(int64(e.Total)+1, fill, // a full bar would be removed
		mpb.BarPriority(math.MaxInt32), mpb.BarRemoveOnComplete(),
		mpb.PrependDecorators(decor.Name("all stages ", decor.WC{W: 34, C: decor.DindentRight})),
		mpb.AppendDecorators(decor.Any(func(decor.Statistics) string { return p.place.Load().(string) })),
	)
}

func (p *terminal) advance(e engine.Event) {
	if p.overall != nil && e.Total > 1 {
		p.place.Store(progressText(e))
		p.overall.SetCurrent(int64(e.Done))
	}
}

// bar shows one running stage. With an expected time, the bar fills up to it.
func (p *terminal) bar(e engine.Event) *mpb.Bar {
	start := time.Now()
	expected := time.Duration(e.ExpectedMS) * time.Millisecond
	waits := &atomic.Bool{}
	if p.waits == nil {
		p.waits = map[string]*atomic.Bool{}
	}

	p.waits[name(e)] = waits
	after := func(decor.Statistics) string {
		if waits.Load() {
			return " waits for a worker"
		}

		elapsed := Took(time.Since(start).Round(100 * time.Millisecond))
		if expected == 0 {
			return " " + elapsed
		}

		return fmt.Sprintf(" %s of about %s", elapsed, Took(expected))
	}
	fill := mpb.BarStyle().Lbound("").Rbound("").Filler("━").Tip("━").Padding("─")
	bar := p.all.New(max(1, expected.Milliseconds()), fill,
		mpb.BarRemoveOnComplete(),
		mpb.PrependDecorators(decor.Name(name(e)+" ", decor.WC{W: 34, C: decor.DindentRight})),
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

func (p *terminal) print(s string) {
	if p.all != nil {
		fmt.Fprintln(p.all, s)
		return
	}
	fmt.Fprintln(p.w, s)
}

func (p *terminal) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, bar := range p.bars {
		bar.Abort(true)
	}

	if p.overall != nil {
		p.overall.Abort(true)
	}

	for _, skipped := range p.skipped.lines() {
		p.print(skipped)
	}

	if p.all != nil {
		p.all.Wait()
	}
}
