package reads

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// notice is struct seccomp_notif: a call that waits.
type notice struct {
	id      uint64
	process uint32 // the process, or thread, that calls
	_       uint32
	number  uint32
	arch    uint32
	_       uint64
	args    [6]uint64
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

// next waits for a call. The error is ENOENT for one that waited and no longer does.
func (l listener) next(n *notice) unix.Errno {
	*n = notice{}
	_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(l), unix.SECCOMP_IOCTL_NOTIF_RECV, uintptr(unsafe.Pointer(n)))
	return errno
}

// proceed lets a call happen. The error is ENOENT if it no longer waits.
func (l listener) proceed(n *notice) unix.Errno {
	a := answer{id: n.id, flags: unix.SECCOMP_USER_NOTIF_FLAG_CONTINUE}
	_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(l), unix.SECCOMP_IOCTL_NOTIF_SEND, uintptr(unsafe.Pointer(&a)))
	return errno
}

// wait waits until a call waits. It returns false if none can follow.
func (l listener) wait() bool {
	for {
		fds := []unix.PollFd{{Fd: int32(l), Events: unix.POLLIN}}
		if _, err := unix.Poll(fds, -1); !errors.Is(err, unix.EINTR) {
			return err == nil && fds[0].Revents&unix.POLLIN != 0
		}
	}
}

// collector answers the calls of a stage.
//
// A call that waits fails with EINTR if a signal with a handler arrives before the call was received, unless the
// handler restarts calls. Without a record, such calls never fail. The kernel counts the calls and keeps a list of
// those that wait, so one that has left the list leads to an ENOENT for whoever receives. If a program runs that has
// such a handler, and does not wait for something else, the stage is disturbed: its results are not used.
type collector struct {
	paths
	listener
	marker    int // the thread that marks the end
	disturbed bool
	// processes are those that called, and fragile the programs with handlers that do not restart calls.
	processes map[int]bool
	fragile   map[string]bool
}

// maxProcesses limits the size of collector.processes.
const maxProcesses = 10_000

// signalAction is the start of struct sigaction of the kernel.
type signalAction struct{ handler, flags uintptr }

// caught notes a program that sets a handler which does not restart calls.
func (c *collector) caught(n *notice) {
	var action signalAction
	const ignored, restarts = 1, 0x10000000 // SIG_IGN, SA_RESTART
	b := unsafe.Slice((*byte)(unsafe.Pointer(&action)), unsafe.Sizeof(action))
	if readMemory(int(n.process), uintptr(n.args[1]), b) == nil && action.handler > ignored &&
		action.flags&restarts == 0 {
		c.fragile[programOf(int(n.process))] = true
	}
}

// gone says that a call left the list.
func (c *collector) gone() {
	if c.disturbed || len(c.fragile) == 0 {
		return
	}

	for process := range c.processes {
		program := programOf(process)
		if program == "" {
			delete(c.processes, process)
		}

		if c.fragile[program] && mayHaveCalled(process) {
			c.disturbed = true
			return
		}
	}
}

// mayHaveCalled reports whether a process may just have made a call that the record has to know: it runs, or waits in
// such a call. If it waits in another one, it was there before: it does not get there without such a call.
func mayHaveCalled(process int) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/syscall", process))
	if err != nil {
		return !errors.Is(err, os.ErrNotExist) && !errors.Is(err, unix.ESRCH)
	}

	word, _, _ := strings.Cut(string(text), " ")
	number, err := strconv.Atoi(word)
	return err != nil || slices.ContainsFunc(calls, func(known call) bool { return int(known.number) == number })
}

// serve answers calls until the mark.
func (c *collector) serve() {
	runtime.LockOSThread() // it mostly waits
	defer runtime.UnlockOSThread()
	// Wake this thread on the processor of the caller, which then waits. Without it, each call is twice as slow.
	_, _, _ = unix.Syscall(unix.SYS_IOCTL, uintptr(c.listener), unix.SECCOMP_IOCTL_NOTIF_SET_FLAGS,
		unix.SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP)
	c.processes, c.fragile = map[int]bool{}, map[string]bool{}
	var n notice
	for {
		switch c.next(&n) {
		case 0:
		case unix.ENOENT:
			c.gone()
			continue
		case unix.EINTR:
			continue
		default:
			return
		}

		if int(n.process) == c.marker && n.number == unix.SYS_CHROOT {
			c.finish(&n)
			return
		}

		if len(c.processes) < maxProcesses {
			c.processes[int(n.process)] = true
		}

		if n.number == unix.SYS_RT_SIGACTION && n.arch == architecture {
			c.caught(&n)
		} else {
			c.called(&n)
		}

		if c.proceed(&n) != 0 {
			c.gone()
		}
	}
}

// finish finds out whether calls have left the list that nobody has received, while the mark still waits: then another
// reception returns at once, and otherwise it blocks until the second mark.
func (c *collector) finish(mark *notice) {
	thread, left, over := make(chan int, 1), make(chan struct{}, 1), make(chan struct{})
	go func() {
		defer close(over)
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		thread <- unix.Gettid()
		for {
			var n notice
			switch c.next(&n) {
			case 0:
				c.proceed(&n)
				if int(n.process) == c.marker {
					return
				}
			case unix.ENOENT:
				select {
				case left <- struct{}{}:
				default:
				}
			case unix.EINTR:
			default:
				return
			}
		}
	}()
	state := fmt.Sprintf("/proc/self/task/%d/syscall", <-thread)
	waiting := fmt.Sprintf("%d ", unix.SYS_IOCTL)
	for known := false; !known; {
		select {
		case <-left:
			c.gone()
			known = true
		case <-over:
			known = true
		case <-time.After(20 * time.Microsecond):
			text, err := os.ReadFile(state) // "running" if it does not wait
			known = err != nil || strings.HasPrefix(string(text), waiting)
			c.disturbed = c.disturbed || err != nil
		}
	}

	c.proceed(mark)
	<-over
}
