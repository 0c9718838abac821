package trec

import (
	"iter"
	"runtime"
	"sync"
	"sync/atomic"
)

// share hands out the numbers below n to as many calls of work as there are
// processors, which run side by side, and waits for them.
func share(n int, work func(numbers iter.Seq[int])) {
	var taken atomic.Int64
	var working sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		working.Go(func() {
			work(func(yield func(int) bool) {
				for i := int(taken.Add(1)) - 1; i < n; i = int(taken.Add(1)) - 1 {
					if !yield(i) {
						return
					}
				}
			})
		})
	}
	working.Wait()
}

// marks holds a value for some of the documents of a run, by number. Forgetting
// all of them costs nothing, so that one table serves many topics.
type marks struct {
	table []uint64 // the round in the upper half, the value in the lower
	round uint64
}

func (run *Run) newMarks() *marks {
	return &marks{table: make([]uint64, len(run.names))}
}

func (m *marks) forget() { m.round++ }

func (m *marks) set(document, value uint32) {
	m.table[document] = m.round<<32 | uint64(value)
}

func (m *marks) get(document uint32) (value uint32, ok bool) {
	v := m.table[document]
	return uint32(v), v>>32 == m.round
}
