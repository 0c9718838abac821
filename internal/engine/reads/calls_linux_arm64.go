package reads

import "golang.org/x/sys/unix"

const (
	architecture = unix.AUDIT_ARCH_AARCH64
	newfstatat   = unix.SYS_FSTATAT
	otherTable   = 0 // there is none
)

// olderCalls are the numbers of open, openat, openat2, execve and execveat of 32-bit programs.
var olderCalls = []uint32{5, 322, 437, 11, 387}

var ownCalls []call
