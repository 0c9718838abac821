//go:build unix && !linux

package local

import (
	"os/exec"
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

// starting runs start, which returns the process that it has made.
func starting(start func() (pid int, err error)) error {
	_, err := start()
	return err
}

func waitAndKillGroup(cmd *exec.Cmd) error {
	err := cmd.Wait()
	killGroup(cmd.Process.Pid, syscall.SIGKILL)
	return err
}

// leftNothing cannot be certain here.
func leftNothing(int, string) bool { return false }
