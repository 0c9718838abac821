package keeper

import (
	"errors"
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"
)

// word is the only argument of a keeper, and the name by which ps shows it.
const word = "touchstone: first process of a sandbox"

// A keeper is this program, and Go initializes packages before main: see package inside
// for why this function runs early.
func init() {
	if len(os.Args) == 1 && os.Args[0] == word && os.Getpid() == 1 {
		keep()
	}
}

// Answers of a keeper: one byte each.
const (
	ready = 'r'
	clean = 'c'
)

// keep is the first process. It ends when its input ends, which is at the latest when the
// process that started it ends.
func keep() {
	// Ended orphans need no attention.
	signal.Ignore(syscall.SIGCHLD)
	signal.Ignore(syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
	if err := ownView(); err != nil {
		_, _ = os.Stderr.WriteString(err.Error())
		os.Exit(1)
	}

	answer := []byte{ready}
	for {
		if _, err := os.Stdout.Write(answer); err != nil {
			os.Exit(0)
		}

		if n, err := os.Stdin.Read(answer); n != 1 || err != nil {
			os.Exit(0)
		}

		end()
		answer[0] = clean
	}
}

// ownView gives the namespace its own /proc, in which only its processes exist.
func ownView() error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return os.NewSyscallError("making mounts private", err)
	}
	return os.NewSyscallError("mounting /proc",
		unix.Mount("proc", "/proc", "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, ""))
}

// end kills every other process of the namespace and waits until they are gone.
func end() {
	_ = unix.Kill(-1, unix.SIGKILL)
	for {
		// Without a handler for SIGCHLD, this waits for the last child.
		if _, err := unix.Wait4(-1, nil, 0, nil); err != nil && !errors.Is(err, unix.EINTR) {
			return
		}
	}
}
