//go:build unix && !linux

package undertest

import (
	"net/netip"
	"os/exec"
	"syscall"
)

// ownGroup makes cmd the leader of a process group. A stage that is killed
// leaves the proxy to the end of its input.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
}

// killGroup ends every process of the group that pid leads.
func killGroup(pid int) { _ = syscall.Kill(-pid, syscall.SIGKILL) }

// killStrays has no way to find what left the process group.
func killStrays(string) {}

// listening has no way to find out.
func listening(string) []netip.AddrPort { return nil }
