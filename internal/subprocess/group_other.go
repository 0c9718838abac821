//go:build !unix

package subprocess

import (
	"os"
	"os/exec"
)

// Lead does nothing where there are no process groups.
func Lead(*exec.Cmd) {}

// KillGroup ends the process; what it started is left to itself.
func KillGroup(pid int) {
	if p, err := os.FindProcess(pid); err == nil {
		_ = p.Kill()
	}
}
