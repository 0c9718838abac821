package cache

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// tryFlock locks an open file. The lock also excludes other open files of this
// process. tryFlock returns false if another holder has the lock. The kernel
// releases the lock when the process dies.
func tryFlock(f *os.File, exclusive bool) (bool, error) {
	flags := uint32(windows.LOCKFILE_FAIL_IMMEDIATELY)
	if exclusive {
		flags |= windows.LOCKFILE_EXCLUSIVE_LOCK
	}

	err := windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, new(windows.Overlapped))
	switch {
	case err == nil:
		return true, nil
	case errors.Is(err, windows.ERROR_LOCK_VIOLATION), errors.Is(err, windows.ERROR_IO_PENDING):
		return false, nil
	}

	return false, &os.PathError{Op: "lock", Path: f.Name(), Err: err}
}

func funlock(f *os.File) error {
	return windows.UnlockFileEx(windows.Handle(f.Fd()), 0, 1, 0, new(windows.Overlapped))
}
