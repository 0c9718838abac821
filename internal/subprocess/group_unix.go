//go:build unix

package subprocess

import (
	"os/exec"
	"syscall"
)

// Lead makes cmd the leader of a process group, so that what it starts can be
// ended with it. A program whose starter dies without the chance to end it
// goes on until its input ends.
func Lead(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// KillGroup ends every process of the group that pid leads.
func KillGroup(pid int) { _ = syscall.Kill(-pid, syscall.SIGKILL) }
