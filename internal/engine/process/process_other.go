//go:build unix && !linux

package process

import (
	"os/exec"
	"runtime"
	"syscall"
)

func processGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

func unbind(*syscall.SysProcAttr) {}

// peakBytes converts ru_maxrss, which is in bytes on Darwin, and in KiB on the BSDs.
func peakBytes(u *syscall.Rusage) int64 {
	if runtime.GOOS == "darwin" {
		return u.Maxrss
	}
	return u.Maxrss << 10
}

// starting starts the first process of a stage.
func starting(cmd *exec.Cmd) error { return cmd.Start() }

func waitAndKillGroup(cmd *exec.Cmd) error {
	err := cmd.Wait()
	killGroup(cmd.Process.Pid, syscall.SIGKILL)
	return err
}

// leftNothing cannot determine on this system whether all processes have ended.
func leftNothing(int, string) bool { return false }

func isFirstThread() bool { return false }
