package collector

import (
	"math"
	"runtime"
	"runtime/debug"
	"testing"
	"time"
)

func TestCollectorIsPatientWithSmallHeapsOnly(t *testing.T) {
	before := debug.SetGCPercent(100)
	limit := debug.SetMemoryLimit(-1)
	t.Cleanup(func() {
		debug.SetGCPercent(before)
		debug.SetMemoryLimit(limit)
	})
	t.Setenv("GOGC", "50")
	if collectLess(); debug.SetGCPercent(100) != 100 {
		t.Error("GOGC was overruled")
	}
	t.Setenv("GOGC", "")
	collectLess()
	if percent := debug.SetGCPercent(patientPercent); percent != firstPercent {
		t.Errorf("%d, want %d", percent, firstPercent)
	}
	alive := make([]byte, 2*hugeHeap)
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

func TestLimitOfTheEnvironmentHolds(t *testing.T) {
	limit := debug.SetMemoryLimit(-1)
	t.Cleanup(func() {
		debug.SetMemoryLimit(limit)
		hugeLimit.Store(math.MaxInt64)
	})
	const mine = 1 << 40
	t.Setenv("GOMEMLIMIT", "1GiB")
	if LimitHuge(mine); settingFor(hugeHeap+1).limit != math.MaxInt64 || debug.SetMemoryLimit(-1) != limit {
		t.Error("GOMEMLIMIT was overruled")
	}
	t.Setenv("GOMEMLIMIT", "")
	t.Setenv("GOGC", "50")
	if LimitHuge(mine); debug.SetMemoryLimit(-1) != mine {
		t.Error("a program that does not watch its heap has no limit")
	}
	if got := settingFor(hugeHeap + 1).limit; got != mine {
		t.Errorf("%d, want %d", got, mine)
	}
}

func TestHeapGrowsAsFarAsASmallOne(t *testing.T) {
	for _, c := range []struct {
		live uint64
		want int
	}{
		{0, patientPercent}, {smallHeap / 8, patientPercent}, {smallHeap / 4, 300}, {smallHeap / 2, 100},
		{smallHeap, hastyPercent}, {hugeHeap, hastyPercent}, {hugeHeap + 1, defaultPercent},
	} {
		if got := settingFor(c.live).percent; got != c.want {
			t.Errorf("%d MiB live: %d%%, want %d%%", c.live>>20, got, c.want)
		}
	}
}
