package remote

import (
	"sync"
	"time"
)

// Limits are the longest times that a run waits for a server. The zero value stands for
// DefaultLimits.
type Limits struct {
	Connect time.Duration // for the first answer of the server
	Answer  time.Duration // for an answer without content
	Stall   time.Duration // for the next bytes of content
	// Total is for all waiting of a run for lookups and content. PerLookup and PerMiB are
	// added for each answer, and for each MiB of content, that arrived.
	Total, PerLookup, PerMiB time.Duration
	// Finish is for the uploads at the end of a run.
	Finish time.Duration
}

// DefaultLimits are those of the command line.
var DefaultLimits = Limits{
	Connect: 3 * time.Second, Answer: 5 * time.Second, Stall: 10 * time.Second,
	Total: 30 * time.Second, PerLookup: 10 * time.Millisecond, PerMiB: 4 * time.Second,
	Finish: 2 * time.Minute,
}

// transfer returns the time limit for content of some bytes.
func (l Limits) transfer(bytes int64) time.Duration {
	return l.Stall + time.Duration(float64(bytes)/(1<<20)*float64(l.PerMiB))
}

// budget measures how long a run has waited. Goroutines that wait at the same time count once.
type budget struct {
	limits Limits
	now    func() time.Time

	mu      sync.Mutex
	waiting int
	since   time.Time // when the first of those that wait began
	used    time.Duration
	earned  time.Duration // by what arrived
}

// left returns how much longer the run may wait.
func (b *budget) left() time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	left := b.limits.Total + b.earned - b.used
	if b.waiting > 0 {
		left -= b.now().Sub(b.since)
	}
	return left
}

func (b *budget) begin() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.waiting == 0 {
		b.since = b.now()
	}
	b.waiting++
}

func (b *budget) end(earned time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.earned += earned
	if b.waiting--; b.waiting == 0 {
		b.used += b.now().Sub(b.since)
	}
}
