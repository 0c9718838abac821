package process

import (
	"os"
	"syscall"
)

// processGroup puts the child into a group of its own and has the kernel kill
// it should this process die without a chance to.
func processGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// peakBytes: Linux counts ru_maxrss in KiB.
func peakBytes(u *syscall.Rusage) int64 { return u.Maxrss << 10 }

func isFirstThread() bool { return syscall.Gettid() == os.Getpid() }
