//go:build !linux

package subprocess

import "os/exec"

// LeadBound is Lead: only Linux can bind a program's life to its starter's.
func LeadBound(cmd *exec.Cmd) { Lead(cmd) }
