//go:build unix

package subprocess

import (
	"os/exec"
	"syscall"
)

// Lead makes cmd the leader of a process group, so that its children can be
// killed with it. If this process dies without killing the group, the program
// runs until its input ends.
func Lead(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// KillGroup kills every process of the group that pid leads.
func KillGroup(pid int) { _ = syscall.Kill(-pid, syscall.SIGKILL) }
