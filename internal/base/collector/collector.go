// Package collector tunes the garbage collector of a program that imports it.
//
// By default, the garbage collector runs each time the heap doubles, starting at
// 4 MB. The initialization of the program's packages alone allocates more, and in a
// run with nothing to do four or five collections follow during planning. So this
// package delays collections as long as little memory is live. It has few imports,
// because Go initializes packages in the order of their import paths, each after
// those that it imports: this one is initialized before most others.
package collector

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// The first collection starts at 64 MB, which a run with nothing to do does not reach
// with ten thousand instances. Later collections are also less frequent, as long as
// little memory is live.
const (
	firstPercent   = 1600 // of the initial heap of 4 MB
	patientPercent = 400
	smallHeap      = 32 << 20 // bytes of live memory
)

func init() { collectLess() }

// collectLess delays garbage collection until a collection finds more live memory than a small
// heap has. It does nothing if GOGC is set.
func collectLess() {
	if os.Getenv("GOGC") != "" {
		return
	}
	debug.SetGCPercent(firstPercent)
	watchHeap()
}

// watchHeap arranges to run after each collection, with the finalizer of an unreachable object.
func watchHeap() {
	runtime.SetFinalizer(&struct{ _ [16]byte }{}, func(any) {
		alive := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		metrics.Read(alive)
		if alive[0].Value.Kind() == metrics.KindUint64 && alive[0].Value.Uint64() <= smallHeap {
			debug.SetGCPercent(patientPercent)
			watchHeap()
			return
		}
		debug.SetGCPercent(100)
	})
}
