package engine

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/touchstone-eval/touchstone/pipeline"
)

// runProgress says how far a run is. Its estimate of the remaining time follows from the
// last duration of each selected instance that has not finished. An instance that
// turns out to be a hit takes less.
type runProgress struct {
	total    int
	done     atomic.Int64
	finished []atomic.Bool // of selected instances, by index

	once     sync.Once
	expected []time.Duration // read when the first instance starts; 0 if unknown
}

// newRunProgress counts the selected instances whose condition is not false.
func newRunProgress(plan *pipeline.Plan, selected []selection) *runProgress {
	p := &runProgress{finished: make([]atomic.Bool, len(selected))}
	for i, s := range selected {
		counts := s == selectRun && plan.Instances[i].Off == ""
		p.finished[i].Store(!counts)
		if counts {
			p.total++
		}
	}
	return p
}

// finish counts an instance once, however often it runs.
func (p *runProgress) finish(i int) {
	if p != nil && !p.finished[i].Swap(true) {
		p.done.Add(1)
	}
}

// remaining estimates the time until all selected instances have finished, or returns 0 if
// one of them has never run.
func (r *run) remaining() time.Duration {
	p := r.progress
	p.once.Do(func() {
		p.expected = make([]time.Duration, len(r.outcomes))
		for i, o := range r.outcomes {
			if !p.finished[i].Load() {
				p.expected[i] = r.Expected(o)
			}
		}
	})
	sum, longest := time.Duration(0), time.Duration(0)
	for i, d := range p.expected {
		switch {
		case p.finished[i].Load():
		case d == 0:
			return 0
		default:
			sum, longest = sum+d, max(longest, d)
		}
	}

	return max(sum/time.Duration(max(1, r.Jobs)), longest)
}

// withProgress adds the progress of the run to the event of an instance that starts or has finished.
func (r *run) withProgress(e Event) Event {
	if r.progress == nil || r.Events == nil {
		return e
	}
	e.Done, e.Total, e.LeftMS = int(r.progress.done.Load()), r.progress.total, r.remaining().Milliseconds()
	return e
}
