package reads

import "golang.org/x/sys/unix"

const (
	architecture = unix.AUDIT_ARCH_X86_64
	newfstatat   = unix.SYS_NEWFSTATAT
	// otherTable is the first number of a second table of calls, of programs for x32.
	otherTable = 0x40000000
)

// ownCalls have no directory, and are older.
var ownCalls = []call{
	{unix.SYS_OPEN, opens, none, 0, none},
	{unix.SYS_STAT, asks, none, 0, none},
	{unix.SYS_LSTAT, asks, none, 0, none},
	{unix.SYS_ACCESS, tests, none, 0, none},
}

// olderCalls are the numbers of open, openat, openat2, execve and execveat of 32-bit programs.
var olderCalls = []uint32{5, 295, 437, 11, 358}
