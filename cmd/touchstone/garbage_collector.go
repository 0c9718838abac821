package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// By default, the garbage collector runs at each doubling of a small heap, from
// 4 MB on: four or five times, on both processors, while a command plans that
// has nothing to do. With these values the first collection waits for 64 MB,
// which a run with nothing to do does not allocate for ten thousand instances,
// and later ones wait longer as long as little memory is live.
const (
	firstPercent   = 1600 // of the 4 MB that a heap begins with
	patientPercent = 400
	smallHeap      = 8 << 20 // bytes of live memory
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
