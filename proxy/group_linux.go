package proxy

import (
	"os/exec"
	"syscall"
)

// ownGroup makes cmd the leader of a process group, so that what it starts
// can be ended with it, and has the kernel kill it when the proxy dies without
// the chance to.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// killGroup ends every process of the group that pid leads.
func killGroup(pid int) { _ = syscall.Kill(-pid, syscall.SIGKILL) }
