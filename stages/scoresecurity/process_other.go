//go:build !unix

package scoresecurity

import "os/exec"

// ownGroup does nothing where there are no process groups.
func ownGroup(*exec.Cmd) {}

func killGroup(cmd *exec.Cmd) {
	cmd.Process.Kill()
}
