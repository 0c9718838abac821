// Package testload stretches the timeouts of tests on machines that are busy.
package testload

import (
	"bytes"
	"os"
	"runtime"
	"strconv"
	"time"
)

// Stretch returns d on a machine that has a processor for every runnable
// process, and a multiple of it on one that has not. It is for a timeout that
// a test gives to the code under test and that something else in the same test
// must not run into. Where the load is not known, the result is d.
func Stretch(d time.Duration) time.Duration {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return d
	}
	return time.Duration(float64(d) * factor(text, runtime.NumCPU()))
}

// factor is the number of processes that share a processor: by the average of
// the last minute or by what is runnable now, whichever is more. text is
// /proc/loadavg, "0.20 0.18 0.12 1/80 11206": averages of 1, 5 and 15 minutes,
// then how many are runnable now, of how many (proc_loadavg(5)).
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
