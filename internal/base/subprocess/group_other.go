//go:build !unix

package subprocess

import (
	"os"
	"os/exec"
)

// Lead does nothing on systems without process groups.
func Lead(*exec.Cmd) {}

// KillGroup kills the process. Its children are not killed.
func KillGroup(pid int) {
	if p, err := os.FindProcess(pid); err == nil {
		_ = p.Kill()
	}
}
