//go:build unix

package proofs

import (
	"os/exec"
	"syscall"
)

// becomeUser starts a program as another user.
func becomeUser(cmd *exec.Cmd, id uint32) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: id, Gid: id}}
}
