package reads

import (
	"slices"

	"golang.org/x/sys/unix"
)

// call is a system call that names a file, or that a record has to know.
type call struct {
	number uint32
	kind   callKind
	// dir and path are the positions of its arguments; dir is none if a path is relative to the working directory.
	// flags is the position of flags that may contain AT_EMPTY_PATH, or none: with an empty path, the call is about a
	// file that is open already.
	dir, path, flags int
}

type callKind int

const (
	opens    callKind = iota
	executes          // and opens what the file's first bytes name
	asks              // the status of a file
	tests             // whether there is such a file, and what the process may do with it
	leaves            // changes what paths mean, or opens a file without one
	catches           // sets what a signal does; it names no file
)

// opens reports whether a call of this kind reads the content of a file.
func (k callKind) opens() bool { return k == opens || k == executes }

const none = -1

// interrupting are the signals that may arrive while a stage works. Others end it, or come from an instruction.
var interrupting = []unix.Signal{
	unix.SIGALRM, unix.SIGCHLD, unix.SIGUSR1, unix.SIGUSR2, unix.SIGVTALRM, unix.SIGPROF, unix.SIGIO, unix.SIGWINCH,
	unix.SIGCONT, unix.SIGURG, unix.SIGXCPU,
}

var calls = slices.Concat(commonCalls, ownCalls)

// commonCalls are those of every architecture.
var commonCalls = []call{
	{unix.SYS_OPENAT, opens, 0, 1, none},
	{unix.SYS_OPENAT2, opens, 0, 1, none},
	{unix.SYS_OPEN_TREE, opens, 0, 1, none},
	{unix.SYS_EXECVE, executes, none, 0, none},
	{unix.SYS_EXECVEAT, executes, 0, 1, none},
	{newfstatat, asks, 0, 1, 3},
	{unix.SYS_STATX, asks, 0, 1, 2},
	{unix.SYS_FACCESSAT, tests, 0, 1, none},
	{unix.SYS_FACCESSAT2, tests, 0, 1, 3},
	{unix.SYS_CHDIR, asks, none, 0, none},
	{unix.SYS_CHROOT, leaves, none, 0, none},
	{unix.SYS_PIVOT_ROOT, leaves, none, 0, none},
	{unix.SYS_MOUNT, leaves, none, 1, none},
	{unix.SYS_MOVE_MOUNT, leaves, none, 0, none},
	{unix.SYS_OPEN_BY_HANDLE_AT, leaves, none, 0, none},
	{unix.SYS_RT_SIGACTION, catches, none, 1, none},
}
