//go:build unix

package badproxy

import (
	"os/exec"
	"syscall"
)

// detach starts a program outside the process group of this one.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
