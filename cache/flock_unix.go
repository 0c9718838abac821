//go:build unix

package cache

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// tryFlock locks an open file. The lock also excludes other open files of this
// process. tryFlock returns false if another holder has the lock. The kernel
// releases the lock when the process dies.
func tryFlock(f *os.File, exclusive bool) (bool, error) {
	how := unix.LOCK_SH
	if exclusive {
		how = unix.LOCK_EX
	}

	for {
		err := unix.Flock(int(f.Fd()), how|unix.LOCK_NB)
		switch {
		case err == nil:
			return true, nil
		case errors.Is(err, unix.EWOULDBLOCK):
			return false, nil
		case errors.Is(err, unix.EINTR):
			continue
		}

		return false, &os.PathError{Op: "flock", Path: f.Name(), Err: err}
	}
}

func funlock(f *os.File) error { return unix.Flock(int(f.Fd()), unix.LOCK_UN) }
