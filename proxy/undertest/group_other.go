//go:build unix && !linux

package undertest

import (
	"os/exec"
	"syscall"
)

// ownGroup makes cmd the leader of a process group. A stage that is killed
// leaves the proxy to the end of its input.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
}

// killGroup ends every process of the group that pid leads.
func killGroup(pid int) { _ = syscall.Kill(-pid, syscall.SIGKILL) }

// killStrays has no way to find what left the process group.
func killStrays(string) {}
