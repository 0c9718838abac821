package cache

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"golang.org/x/sys/unix"
)

// keysLock is the file whose bytes stand for keys.
const keysLock = "keys"

// tryLockKey locks one byte of a file that all keys share; nil without an
// error is a key that somebody else has. A file for each key would be a file
// made and removed for each stage, which costs more than the lock: ext4 without
// a journal steps over every inode that was freed within minutes. Two keys that
// share a byte, once in 2^62 pairs, only wait for each other.
func (s *Store) tryLockKey(k Key) (unlock func(), err error) {
	f, err := s.openLock(s.path(locksDir, keysLock))
	if err != nil {
		return nil, err
	}
	at := int64(binary.BigEndian.Uint64(k[:]) >> 2)
	for {
		// The lock is the open file's, not the process's: it excludes the
		// other goroutines too, and goes when the file is closed.
		err = unix.FcntlFlock(f.Fd(), unix.F_OFD_SETLK, &unix.Flock_t{Type: unix.F_WRLCK, Whence: io.SeekStart, Start: at, Len: 1})
		if !errors.Is(err, unix.EINTR) {
			break
		}
	}
	switch {
	case errors.Is(err, unix.EAGAIN), errors.Is(err, unix.EACCES), err == nil && !stillNamed(f):
		f.Close()
		return nil, nil
	case err != nil:
		f.Close()
		return nil, s.failed("lock", fmt.Errorf("%s: %w", f.Name(), err))
	}
	return func() { f.Close() }, nil
}
