package trec

import (
	"iter"
	"sync"
	"sync/atomic"
)

// share hands out the numbers below n, in order, to as many calls of work as
// there are workers, which run side by side, and waits for them.
func share(n, workers int, work func(worker int, numbers iter.Seq[int])) {
	var taken atomic.Int64
	var working sync.WaitGroup
	for worker := range min(n, workers) {
		working.Go(func() {
			work(worker, func(yield func(int) bool) {
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
