//go:build !amd64 && !arm64

package reads

import "golang.org/x/sys/unix"

// Recordings are not available on this architecture.
const (
	architecture = 0
	newfstatat   = unix.SYS_STATX
	otherTable   = 0
)

var olderCalls []uint32

var ownCalls []call
