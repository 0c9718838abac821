//go:build unix

package process

import "syscall"

// killGroup sends a signal to every process of the group. It ignores a group that no
// longer exists.
func killGroup(pid int, sig syscall.Signal) { _ = syscall.Kill(-pid, sig) }
