package collector

import (
	"runtime"
	"runtime/debug"
	"testing"
	"time"
)

func TestCollectorIsPatientWithSmallHeapsOnly(t *testing.T) {
	before := debug.SetGCPercent(100)
	t.Cleanup(func() { debug.SetGCPercent(before) })
	t.Setenv("GOGC", "50")
	if collectLess(); debug.SetGCPercent(100) != 100 {
		t.Error("GOGC was overruled")
	}
	t.Setenv("GOGC", "")
	collectLess()
	if percent := debug.SetGCPercent(patientPercent); percent != firstPercent {
		t.Errorf("%d, want %d", percent, firstPercent)
	}
	alive := make([]byte, 4*smallHeap)
	// The finalizer runs some time after the collection. If it never does, the
	// test hangs here.
	for percent := patientPercent; percent != 100; {
		runtime.GC()
		time.Sleep(time.Millisecond)
		percent = debug.SetGCPercent(100)
		if percent != 100 {
			debug.SetGCPercent(percent)
		}
	}
	runtime.KeepAlive(alive)
}
