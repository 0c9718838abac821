package reads

import (
	"errors"
	"unsafe"

	"golang.org/x/sys/unix"
)

// notice is struct seccomp_notif: a call that waits.
type notice struct {
	id     uint64
	thread uint32 // as this process sees it
	_      uint32
	number uint32
	arch   uint32
	_      uint64
	args   [6]uint64
}

// answer is struct seccomp_notif_resp.
type answer struct {
	id    uint64
	_     int64
	_     int32
	flags uint32
}

// listener tells of the calls of a stage.
type listener int

// next waits for a call. It returns false if none can follow, or as soon as there is something to read from stop,
// unless that is negative.
func (l listener) next(n *notice, stop int) bool {
	for {
		fds := []unix.PollFd{{Fd: int32(l), Events: unix.POLLIN}, {Fd: int32(stop), Events: unix.POLLIN}}
		if _, err := unix.Poll(fds, -1); errors.Is(err, unix.EINTR) {
			continue
		}

		if fds[0].Revents&unix.POLLIN == 0 {
			return false
		}

		*n = notice{}
		_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(l), unix.SECCOMP_IOCTL_NOTIF_RECV,
			uintptr(unsafe.Pointer(n)))
		if errno == 0 {
			return true
		}
		// The process may have been killed in the meantime.
		if errno != unix.ENOENT && errno != unix.EINTR {
			return false
		}
	}
}

// proceed lets the call happen.
func (l listener) proceed(n *notice) {
	a := answer{id: n.id, flags: unix.SECCOMP_USER_NOTIF_FLAG_CONTINUE}
	// It fails if the process was killed in the meantime.
	_, _, _ = unix.Syscall(unix.SYS_IOCTL, uintptr(l), unix.SECCOMP_IOCTL_NOTIF_SEND, uintptr(unsafe.Pointer(&a)))
}
