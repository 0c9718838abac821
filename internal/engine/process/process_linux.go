package process

import (
	"os"
	"syscall"
)

// processGroup puts the child into its own process group. The kernel kills the child if
// this process dies without killing it.
func processGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// unbind removes the signal that the kernel sends when this process dies.
func unbind(attr *syscall.SysProcAttr) { attr.Pdeathsig = 0 }

// peakBytes converts ru_maxrss, which is in KiB on Linux.
func peakBytes(u *syscall.Rusage) int64 { return u.Maxrss << 10 }

func isFirstThread() bool { return syscall.Gettid() == os.Getpid() }
