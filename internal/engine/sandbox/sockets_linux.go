package sandbox

import (
	"fmt"
	"runtime"
	"unsafe"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// A system call filter closes what Landlock and namespaces leave open. It cannot read
// paths: connecting to a socket of the file system is closed by having no such sockets.

// calls says what a filter refuses.
type calls struct {
	// families are the only socket families that are not refused. nil refuses none.
	families []uint32
	// others refuses changing the limits of other processes, where there is no PID
	// namespace.
	others bool
}

// Offsets in the data that a filter sees. Arguments are 64 bits wide, and the machines for
// which there are filters are little-endian.
const (
	offsetNumber = 0
	offsetArch   = 4
	offsetArg0   = 16
	offsetArg1   = 24
	offsetArg2   = 32
)

// machine describes the system calls of this architecture, and of an older one whose
// programs the kernel runs too.
type machine struct {
	arch        uint32
	compat      uint32
	compatCalls []uint32 // socket, socketcall and io_uring_setup of the older one
	x32         bool     // has a second table of calls
}

var machines = map[string]machine{
	"amd64": {unix.AUDIT_ARCH_X86_64, unix.AUDIT_ARCH_I386, []uint32{359, 102, 425}, true},
	"arm64": {unix.AUDIT_ARCH_AARCH64, unix.AUDIT_ARCH_ARM, []uint32{281, 102, 425}, false},
}

// refuse returns the instruction that fails a system call.
func refuse(err unix.Errno) bpf.Instruction {
	return bpf.RetConstant{Val: unix.SECCOMP_RET_ERRNO | uint32(err)}
}

// socketRefused is the error of creating a socket, as in a kernel without its family.
const socketRefused = unix.EAFNOSUPPORT

// filter assembles a filter for this machine, or returns nil if there is none.
func (c calls) filter() []bpf.RawInstruction {
	m, ok := machines[runtime.GOARCH]
	if !ok {
		return nil
	}

	allow := bpf.RetConstant{Val: unix.SECCOMP_RET_ALLOW}
	load := func(offset uint32) bpf.Instruction { return bpf.LoadAbsolute{Off: offset, Size: 4} }
	// when skips instructions if the condition does not hold.
	when := func(cond bpf.JumpTest, v uint32, skip int) bpf.Instruction {
		return bpf.JumpIf{Cond: cond, Val: v, SkipFalse: uint8(skip)}
	}
	program := []bpf.Instruction{load(offsetArch)}
	// Programs of the older architecture have no sockets.
	older := []bpf.Instruction{load(offsetNumber)}
	if c.families != nil {
		for _, call := range m.compatCalls {
			older = append(older, when(bpf.JumpEqual, call, 1), refuse(socketRefused))
		}
	}

	older = append(older, allow)
	program = append(program, when(bpf.JumpEqual, m.compat, len(older)))
	program = append(program, older...)
	program = append(program, when(bpf.JumpNotEqual, m.arch, 1), refuse(unix.ENOSYS), load(offsetNumber))
	if m.x32 {
		program = append(program, when(bpf.JumpGreaterOrEqual, 0x40000000, 1), refuse(unix.ENOSYS))
	}

	if c.families != nil {
		socket := []bpf.Instruction{load(offsetArg0)}
		for _, f := range c.families {
			socket = append(socket, when(bpf.JumpEqual, f, 1), allow)
		}

		socket = append(socket, refuse(socketRefused))
		program = append(program, when(bpf.JumpEqual, unix.SYS_SOCKET, len(socket)))
		program = append(program, socket...)
		// A ring creates sockets without the call.
		program = append(program, when(bpf.JumpEqual, unix.SYS_IO_URING_SETUP, 1), refuse(unix.ENOSYS))
	}

	// Neither may a stage type into the terminal of the user.
	for _, request := range []uint32{unix.TIOCSTI, unix.TIOCLINUX} {
		program = append(program, when(bpf.JumpEqual, unix.SYS_IOCTL, 4), load(offsetArg1),
			when(bpf.JumpEqual, request, 1), refuse(unix.EPERM), load(offsetNumber))
	}

	if c.others {
		limits := []bpf.Instruction{
			load(offsetArg0), when(bpf.JumpEqual, 0, 1), allow, // its own limits
			// only reads them
			load(offsetArg2), when(bpf.JumpEqual, 0, 3), load(offsetArg2 + 4), when(bpf.JumpEqual, 0, 1), allow,
			refuse(unix.EPERM),
		}
		program = append(program, when(bpf.JumpEqual, unix.SYS_PRLIMIT64, len(limits)))
		program = append(program, limits...)
	}

	program = append(program, allow)
	raw, err := bpf.Assemble(program)
	if err != nil {
		panic(fmt.Sprintf("a system call filter does not assemble: %v", err)) // it is constant
	}

	return raw
}

// install restricts the calling thread, and the processes that it starts. The filter
// cannot be removed. It returns the result of seccomp(2), which is an open file with some flags.
func install(filter []bpf.RawInstruction, flags uintptr) (int, error) {
	code := make([]unix.SockFilter, len(filter))
	for i, f := range filter {
		code[i] = unix.SockFilter{Code: f.Op, Jt: f.Jt, Jf: f.Jf, K: f.K}
	}

	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return 0, err
	}

	program := unix.SockFprog{Len: uint16(len(code)), Filter: &code[0]}
	// Without this flag, older kernels slow the stage down.
	flags |= unix.SECCOMP_FILTER_FLAG_SPEC_ALLOW
	result, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, flags,
		uintptr(unsafe.Pointer(&program)))
	if errno != 0 {
		return 0, errno
	}

	return int(result), nil
}
