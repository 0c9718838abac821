package cache

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"golang.org/x/sys/unix"
)

// keysLock is the name of the lock file in which each key has a byte.
const keysLock = "keys"

// tryLockKey locks one byte of a file that all keys share. It returns nil
// without an error if another holder has the key. A lock file for each key would
// be created and removed for each stage, which costs more than the lock: ext4
// without a journal skips over every inode freed in the last minutes. Two keys
// share a byte once in 2^62 pairs, and then only wait for each other.
func (s *Store) tryLockKey(k Key) (unlock func(), err error) {
	f, err := s.openLock(s.path(locksDir, keysLock))
	if err != nil {
		return nil, err
	}

	at := int64(binary.BigEndian.Uint64(k[:]) >> 2)
	for {
		// The lock belongs to the open file, not to the process: it also
		// excludes other goroutines, and ends when the file is closed.
		err = unix.FcntlFlock(f.Fd(), unix.F_OFD_SETLK,
			&unix.Flock_t{Type: unix.F_WRLCK, Whence: io.SeekStart, Start: at, Len: 1})
		if !errors.Is(err, unix.EINTR) {
			break
		}
	}

	switch {
	case errors.Is(err, unix.EAGAIN), errors.Is(err, unix.EACCES), err == nil && !isFileAtPath(f):
		f.Close()
		return nil, nil
	case err != nil:
		f.Close()
		return nil, s.failed("lock", fmt.Errorf("%s: %w", f.Name(), err))
	}

	return func() { f.Close() }, nil
}
