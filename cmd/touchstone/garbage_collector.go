package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// A heap of a few megabytes is collected again at each doubling, from 4 MB on:
// four or five times while a command plans that has nothing to do, and with both
// processors. As long as little is alive the collector waits for longer.
const (
	patientPercent = 400
	smallHeap      = 8 << 20 // bytes that are alive
)

// collectLess makes the collector patient until a collection has found more
// alive than a small heap has. Who has set GOGC has chosen.
func collectLess() {
	if os.Getenv("GOGC") != "" {
		return
	}
	debug.SetGCPercent(patientPercent)
	watchHeap()
}

// watchHeap has itself called after each collection, by an object that none
// finds alive.
func watchHeap() {
	runtime.SetFinalizer(&struct{ _ [16]byte }{}, func(any) {
		alive := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		metrics.Read(alive)
		if alive[0].Value.Kind() == metrics.KindUint64 && alive[0].Value.Uint64() <= smallHeap {
			watchHeap()
			return
		}
		debug.SetGCPercent(100)
	})
}
