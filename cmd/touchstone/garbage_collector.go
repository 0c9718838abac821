package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// By default, the garbage collector runs each time the heap doubles, starting at
// 4 MB. In a run with nothing to do, that is four or five collections on all
// processors during planning. With these values, the first collection starts at
// 64 MB, which such a run does not reach with ten thousand instances. Later
// collections are also less frequent, as long as little memory is live.
const (
	firstPercent   = 1600 // of the initial heap of 4 MB
	patientPercent = 400
	smallHeap      = 32 << 20 // bytes of live memory
)

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
