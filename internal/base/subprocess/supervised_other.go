//go:build !linux

package subprocess

import "os/exec"

// Supervised is a program that ends with its process group.
type Supervised struct {
	// Pid is the id of the program, which leads a process group.
	Pid int
}

// StartSupervised starts cmd as the leader of a process group: only Linux can find the
// processes that have left the group.
func StartSupervised(cmd *exec.Cmd) (*Supervised, error) {
	LeadBound(cmd)
	if err := Start(cmd); err != nil {
		return nil, err
	}
	return &Supervised{Pid: cmd.Process.Pid}, nil
}

// KillAll kills the group of the program.
func (s *Supervised) KillAll() { KillGroup(s.Pid) }
