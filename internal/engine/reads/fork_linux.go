package reads

import (
	"syscall"
	"unsafe"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// program is a command in the form of execve(2).
type program struct {
	path      *byte
	argv, env []*byte
	// gate is a file from which the new process reads before anything else. report is one to which it writes the number
	// of the error if the program cannot be executed.
	gate, report int
	filter       unix.SockFprog
}

func newProgram(path string, args, env []string) (*program, error) {
	p := &program{}
	var err error
	if p.path, err = syscall.BytePtrFromString(path); err != nil {
		return nil, err
	}

	if p.argv, err = syscall.SlicePtrFromStrings(args); err != nil {
		return nil, err
	}

	if p.env, err = syscall.SlicePtrFromStrings(env); err != nil {
		return nil, err
	}

	code := sockFilter(filter())
	p.filter = unix.SockFprog{Len: uint16(len(code)), Filter: &code[0]}
	return p, nil
}

func sockFilter(raw []bpf.RawInstruction) []unix.SockFilter {
	code := make([]unix.SockFilter, len(raw))
	for i, f := range raw {
		code[i] = unix.SockFilter{Code: f.Op, Jt: f.Jt, Jf: f.Jf, K: f.K}
	}
	return code
}

// signalAction is struct sigaction of the kernel.
type signalAction struct {
	handler, flags, restorer uintptr
	mask                     uint64
}

const (
	signalSetSize   = 8
	lastSignal      = 64
	ignored         = 1 // SIG_IGN
	exitNotExecuted = 127
)

// fork starts a process that waits at the gate, filters its calls, and executes the program. Package os/exec cannot do
// that between fork and execve. The new process has one thread of a program with many, so it must not do anything but
// system calls.
//
//go:noinline
//go:norace
func (p *program) fork() (pid int, err error) {
	all, before := ^uint64(0), uint64(0)
	var action signalAction
	var b [4]byte
	if _, _, errno := unix.RawSyscall6(unix.SYS_RT_SIGPROCMASK, unix.SIG_SETMASK, uintptr(unsafe.Pointer(&all)),
		uintptr(unsafe.Pointer(&before)), signalSetSize, 0, 0); errno != 0 {
		return 0, errno
	}

	child, _, errno := unix.RawSyscall6(unix.SYS_CLONE, uintptr(unix.SIGCHLD), 0, 0, 0, 0, 0)
	if child != 0 || errno != 0 {
		_, _, _ = unix.RawSyscall6(unix.SYS_RT_SIGPROCMASK, unix.SIG_SETMASK, uintptr(unsafe.Pointer(&before)), 0,
			signalSetSize, 0, 0)
		if errno != 0 {
			return 0, errno
		}

		return int(child), nil
	}

	_, _, _ = unix.RawSyscall(unix.SYS_READ, uintptr(p.gate), uintptr(unsafe.Pointer(&b)), 1)
	// The handlers are those of the Go runtime, which must not run here. What was ignored stays ignored.
	for signal := uintptr(1); signal <= lastSignal; signal++ {
		_, _, errno = unix.RawSyscall6(unix.SYS_RT_SIGACTION, signal, 0, uintptr(unsafe.Pointer(&action)),
			signalSetSize, 0, 0)
		if errno == 0 && action.handler > ignored {
			action = signalAction{}
			_, _, _ = unix.RawSyscall6(unix.SYS_RT_SIGACTION, signal, uintptr(unsafe.Pointer(&action)), 0,
				signalSetSize, 0, 0)
		}
	}

	_, _, _ = unix.RawSyscall6(unix.SYS_RT_SIGPROCMASK, unix.SIG_SETMASK, uintptr(unsafe.Pointer(&before)), 0,
		signalSetSize, 0, 0)
	_, _, errno = unix.RawSyscall6(unix.SYS_PRCTL, unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0, 0)
	if errno == 0 {
		// Without this flag, older kernels slow the stage down.
		_, _, errno = unix.RawSyscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER,
			unix.SECCOMP_FILTER_FLAG_SPEC_ALLOW, uintptr(unsafe.Pointer(&p.filter)))
	}

	if errno == 0 {
		_, _, errno = unix.RawSyscall(unix.SYS_EXECVE, uintptr(unsafe.Pointer(p.path)),
			uintptr(unsafe.Pointer(&p.argv[0])), uintptr(unsafe.Pointer(&p.env[0])))
	}

	b[0], b[1] = byte(errno), byte(errno>>8)
	_, _, _ = unix.RawSyscall(unix.SYS_WRITE, uintptr(p.report), uintptr(unsafe.Pointer(&b)), 2)
	for {
		_, _, _ = unix.RawSyscall(unix.SYS_EXIT_GROUP, exitNotExecuted, 0, 0)
	}
}
