package subprocess

import (
	"os/exec"
	"syscall"
)

// LeadBound is Lead, and makes the kernel kill the program when the thread that
// started it ends, which is at the latest when this process ends. Do not use it
// from a goroutine whose thread may end earlier.
func LeadBound(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
