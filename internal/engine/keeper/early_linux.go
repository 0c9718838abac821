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
	if os.Getenv(plain) == "" {
		if err := ownRoot(); err != nil {
			_, _ = os.Stderr.WriteString(err.Error())
			os.Exit(1)
		}
	}

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

// Place is a directory that exists in every namespace with a root of its own, and nowhere else. A stage's directory can
// be mounted there.
const Place = "/job"

// plain is the variable of a keeper whose namespace has no root of its own.
const plain = "TOUCHSTONE_PLAIN"

// before is the directory of the former root while the new one is filled.
const before = "/.touchstone-before"

// ownRoot gives the namespace a root that has everything in the former root, and Place. A directory can only be mounted
// on one that exists, and none has the same name on every machine.
func ownRoot() error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return os.NewSyscallError("making mounts private", err)
	}

	// What is below is visible again as soon as this is the root.
	const under = "/tmp"
	if err := unix.Mount("root", under, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=755"); err != nil {
		return os.NewSyscallError("mounting a root", err)
	}

	if err := os.Mkdir(under+before, 0o700); err != nil {
		return err
	}

	if err := unix.PivotRoot(under, under+before); err != nil {
		return os.NewSyscallError("pivot_root", err)
	}

	if err := os.Chdir("/"); err != nil {
		return err
	}

	entries, err := os.ReadDir(before)
	if err != nil {
		return err
	}

	for _, e := range entries {
		if err := bind(e); err != nil {
			return err
		}
	}

	if err := os.Mkdir(Place, 0o755); err != nil {
		return err
	}

	if err := unix.Unmount(before, unix.MNT_DETACH); err != nil {
		return os.NewSyscallError("unmounting the former root", err)
	}

	return os.Remove(before)
}

// bind makes an entry of the former root one of the new root.
func bind(e os.DirEntry) error {
	from, to := before+"/"+e.Name(), "/"+e.Name()
	switch {
	case e.Type()&os.ModeSymlink != 0:
		target, err := os.Readlink(from)
		if err != nil {
			return err
		}

		return os.Symlink(target, to)
	case e.IsDir():
		if err := os.Mkdir(to, 0o755); err != nil {
			return err
		}
	default:
		f, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if err != nil {
			return err
		}

		if err := f.Close(); err != nil {
			return err
		}
	}
	return os.NewSyscallError("binding "+to, unix.Mount(from, to, "", unix.MS_BIND|unix.MS_REC, ""))
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
