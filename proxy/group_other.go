//go:build unix && !linux

package proxy

import (
	"os/exec"
	"syscall"
)

// ownGroup makes cmd the leader of a process group, so that what it starts
// can be ended with it. A proxy that dies without the chance to end its
// servers leaves them to the end of their input.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
}

// killGroup ends every process of the group that pid leads.
func killGroup(pid int) { _ = syscall.Kill(-pid, syscall.SIGKILL) }
