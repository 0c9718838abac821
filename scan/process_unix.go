//go:build unix

package scan

import (
	"os/exec"
	"syscall"
)

// ownGroup makes cmd the leader of a process group, so that what it starts
// ends with it. No death signal is set: it would come when the thread that
// starts the process ends, and servers are started from many goroutines. A
// scan that dies closes their input instead, which ends them.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// killGroup ends every process of the group that pid leads.
func killGroup(pid int) { _ = syscall.Kill(-pid, syscall.SIGKILL) }
