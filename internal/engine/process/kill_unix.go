//go:build unix

package process

import "syscall"

// killGroup signals every process of the group; one that is gone is fine.
func killGroup(pid int, sig syscall.Signal) { _ = syscall.Kill(-pid, sig) }
