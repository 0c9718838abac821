package subprocess

import (
	"os/exec"
	"syscall"
)

// LeadBound is Lead, and has the kernel kill the program when the thread that
// starts it ends: with this process, if not before. It is not for programs that
// are started from goroutines whose threads may end earlier.
func LeadBound(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
