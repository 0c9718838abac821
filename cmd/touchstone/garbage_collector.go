package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// A heap of a few megabytes is collected again at each doubling, from 4 MB on:
// four or five times while a command plans that has nothing to do, and with both
// processors. So the first collection waits for 64 MB, which a run with nothing
// to do does not allocate for ten thousand instances, and the collector stays
// patient as long as little is alive.
const (
	firstPercent   = 1600 // of the 4 MB that a heap begins with
	patientPercent = 400
	smallHeap      = 8 << 20 // bytes that are alive
)

// collectLess makes the collector patient until a collection has found more
// alive than a small heap has. Who has set GOGC has chosen.
func collectLess() {
	if os.Getenv("GOGC") != "" {
		return
	}
	debug.SetGCPercent(firstPercent)
	watchHeap()
}

// watchHeap has itself called after each collection, by an object that none
// finds alive.
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
