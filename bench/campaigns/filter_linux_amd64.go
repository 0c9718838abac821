package main

import (
	"fmt"
	"os"
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// launchVerb makes this program install the filter and become another program.
const launchVerb = "launch"

// opens are the system calls that make a descriptor. writes are those that write to a
// descriptor, and paths are those that change a directory.
var (
	opens  = []int{unix.SYS_OPENAT, unix.SYS_PIPE2, unix.SYS_SOCKET, unix.SYS_FCNTL, unix.SYS_EPOLL_CREATE1}
	writes = []int{
		unix.SYS_WRITE, unix.SYS_PWRITE64, unix.SYS_WRITEV, unix.SYS_FSYNC, unix.SYS_FDATASYNC, unix.SYS_FTRUNCATE,
		unix.SYS_FALLOCATE, unix.SYS_COPY_FILE_RANGE, unix.SYS_SENDFILE, unix.SYS_FCHMOD,
	}
	paths = []int{
		unix.SYS_MKDIRAT, unix.SYS_RENAMEAT, unix.SYS_RENAMEAT2, unix.SYS_LINKAT, unix.SYS_SYMLINKAT, unix.SYS_UNLINKAT,
		unix.SYS_UTIMENSAT, unix.SYS_FCHMODAT,
	}
)

// launch becomes the program args[0], whose system calls above stop for a tracer.
func launch(args []string) {
	err := install()
	if err == nil {
		err = syscall.Exec(args[0], args, os.Environ())
	}
	fmt.Fprintln(os.Stderr, "campaigns:", err)
	os.Exit(125)
}

// install installs the filter in this thread. The program that the thread becomes keeps it.
func install() error {
	runtime.LockOSThread()
	var traced []int
	for _, list := range [][]int{opens, writes, paths} {
		traced = append(traced, list...)
	}

	filter := []unix.SockFilter{
		// Load the number of the system call. If it reads a clock, load which one.
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: 0},
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jf: 4, K: unix.SYS_CLOCK_GETTIME},
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: 16}, // the low half of the first argument
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jf: 1, K: unix.CLOCK_REALTIME},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_TRACE},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW},
	}
	// Compare the number with each that stops, and jump to the end.
	for i, nr := range traced {
		filter = append(filter, unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K,
			Jt: uint8(len(traced) - i), K: uint32(nr)})
	}

	filter = append(filter,
		unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW},
		unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_TRACE})
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("no_new_privs: %w", err)
	}

	if _, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0,
		uintptr(unsafe.Pointer(&program))); errno != 0 {
		return fmt.Errorf("installing the filter: %w", errno)
	}

	return nil
}
