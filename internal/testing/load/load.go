// Package load fits tests to the load of the machine: it extends timeouts on a busy one,
// and lets more tests run at once that mostly wait.
package load

import (
	"bytes"
	"flag"
	"os"
	"runtime"
	"strconv"
	"time"
)

// Stretch returns d if the machine has a processor for every runnable process, and
// otherwise a multiple of d. Use it for a timeout of the code under test that other
// parts of the test must not reach. If the load is unknown, the result is d.
func Stretch(d time.Duration) time.Duration {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return d
	}
	return time.Duration(float64(d) * factor(text, runtime.NumCPU()))
}

// factor returns the number of runnable processes per processor: the larger of the
// average of the last minute and the current number. text is the content of
// /proc/loadavg, such as "0.20 0.18 0.12 1/80 11206": the averages of 1, 5 and 15
// minutes, then the runnable and all processes, then the last process id
// (proc_loadavg(5)).
func factor(text []byte, processors int) float64 {
	fields := bytes.Fields(text)
	if len(fields) < 4 {
		return 1
	}
	busy, _ := strconv.ParseFloat(string(fields[0]), 64)
	now, _, _ := bytes.Cut(fields[3], []byte("/"))
	runnable, _ := strconv.ParseFloat(string(now), 64)
	return max(1, busy/float64(processors), runnable/float64(processors))
}

// RunAtOnce lets so many parallel tests run at once for each processor. Call it in the
// TestMain of a package whose parallel tests mostly wait. The flag -parallel overrides it.
func RunAtOnce(perProcessor int) {
	if err := flag.Set("test.parallel", strconv.Itoa(perProcessor*runtime.GOMAXPROCS(0))); err != nil {
		panic(err) // it is called outside a test
	}
}
