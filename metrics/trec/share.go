package trec

import (
	"iter"
	"sync"
	"sync/atomic"
)

// share distributes the numbers below n, in order, among as many concurrent
// calls of work as there are workers, and waits for them.
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
