// Package collector tunes the garbage collector of a program that imports it.
//
// By default, the garbage collector runs each time the heap doubles, starting at
// 4 MB. The initialization of the program's packages alone allocates more, and in a
// run with nothing to do four or five collections follow during planning. So this
// package delays collections as long as the heap is small. A larger heap, as with
// hundreds of thousands of files, is collected more often than by default: memory then
// counts more than the time of the collections. It has few imports, because Go initializes packages
// in the order of their import paths, each after those that it imports: this one is
// initialized before most others.
package collector

import (
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
)

// The first collection starts at 64 MB, which a run with nothing to do does not reach with ten thousand
// instances. Later collections start at the size of a small heap, or earlier if little memory is
// live. If so much is live that the heap has to be larger, it grows by as little as a quarter.
const (
	firstHeap      = 64 << 20 // bytes
	firstPercent   = 1600     // of the initial heap of 4 MB
	smallHeap      = 56 << 20 // bytes
	patientPercent = 400
	hastyPercent   = 25
	// overhead is how much memory, besides the heap, holds stacks and gaps between the objects before it is returned to
	// the system. Without a limit, the gaps become as large as half of the heap.
	overhead = 12 << 20
	// A heap with more live memory than hugeHeap bytes grows as by default. Collecting it takes long, and less
	// garbage would not make it small.
	hugeHeap       = 80 << 20
	defaultPercent = 100
)

// hugeLimit is the limit of a huge heap.
var hugeLimit atomic.Int64

func init() {
	hugeLimit.Store(math.MaxInt64)
	collectLess()
}

// LimitHuge says from how many bytes on the memory is used sparingly if the heap is huge. A limit that the user set in
// the environment holds instead.
func LimitHuge(bytes int64) {
	if os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	hugeLimit.Store(bytes)
	if os.Getenv("GOGC") != "" {
		debug.SetMemoryLimit(bytes)
	}
}

// collectLess delays garbage collection until the heap is larger than a small one. It does nothing if GOGC or
// GOMEMLIMIT is set.
func collectLess() {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	first := setting{firstPercent, firstHeap + overhead}
	first.apply()
	watchHeap(first)
}

// setting of the collector: by how many percent the heap may grow until the next collection, and from how many bytes on
// all memory is used sparingly.
type setting struct {
	percent int
	limit   int64
}

func (s setting) apply() {
	debug.SetGCPercent(s.percent)
	debug.SetMemoryLimit(s.limit)
}

// watchHeap arranges to run after each collection, with the finalizer of an unreachable object.
func watchHeap(present setting) {
	runtime.SetFinalizer(&struct{ _ [16]byte }{}, func(any) {
		alive := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		metrics.Read(alive)
		next := setting{defaultPercent, hugeLimit.Load()}
		if alive[0].Value.Kind() == metrics.KindUint64 {
			next = settingFor(alive[0].Value.Uint64())
		}
		if next != present {
			next.apply()
		}
		watchHeap(next)
	})
}

// settingFor returns the setting for a number of bytes of live memory.
func settingFor(live uint64) setting {
	if live > hugeHeap {
		return setting{defaultPercent, hugeLimit.Load()}
	}

	percent := patientPercent
	if live > 0 {
		percent = hastyPercent
		if live < smallHeap {
			percent = int(min(max((smallHeap-live)*100/live, hastyPercent), patientPercent))
		}
	}

	return setting{percent, int64(max(smallHeap, live+live*hastyPercent/100)) + overhead}
}
