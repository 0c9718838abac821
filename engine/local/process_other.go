//go:build unix && !linux

package local

import (
	"runtime"
	"syscall"
)

func processGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// peakBytes: Darwin counts ru_maxrss in bytes, the BSDs in KiB.
func peakBytes(u *syscall.Rusage) int64 {
	if runtime.GOOS == "darwin" {
		return u.Maxrss
	}
	return u.Maxrss << 10
}
