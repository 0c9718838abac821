//go:build !linux

package subprocess

import "os/exec"

// LeadBound is Lead: only Linux can end a program with its parent.
func LeadBound(cmd *exec.Cmd) { Lead(cmd) }
