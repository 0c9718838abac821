package scoresecurity

import (
	"os/exec"
	"syscall"
)

// ownGroup gives the command a process group, so that its children end with
// it, and ties its life to the thread that starts it: a stage that is killed
// leaves no detector behind.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

func killGroup(cmd *exec.Cmd) {
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
}
