//go:build unix

package timing

import (
	"os"
	"runtime"
	"syscall"
)

// peakOf returns the largest resident size of an ended process in bytes, or 0 if it is
// unknown. Darwin reports bytes, the others KiB.
func peakOf(state *os.ProcessState) int64 {
	r, ok := state.SysUsage().(*syscall.Rusage)
	switch {
	case !ok:
		return 0
	case runtime.GOOS == "darwin":
		return r.Maxrss
	}
	return r.Maxrss << 10
}
