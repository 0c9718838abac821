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

// peakBytes converts ru_maxrss, which is in KiB on Linux. There it begins with the size of
// the process that started the command, because execve(2) keeps the largest size of the memory
// that it replaces. A command that was not larger has an unknown size.
func peakBytes(u *syscall.Rusage) int64 {
	var own syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &own); err != nil || u.Maxrss <= own.Maxrss {
		return 0
	}
	return u.Maxrss << 10
}

func isFirstThread() bool { return syscall.Gettid() == os.Getpid() }
