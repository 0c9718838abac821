package cache

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"
)

// ErrNotFound reports a blob that is not in the store.
var ErrNotFound = errors.New("not in the cache")

// ErrReadOnly reports a write to a store that was opened read-only.
var ErrReadOnly = errors.New("the cache is open read-only")

// A CorruptError reports a blob whose stored bytes are not what its name
// says. The blob has been taken out of the store: treat it as a miss and make
// the content again.
type CorruptError struct {
	Digest Digest
	Path   string
	Reason string
}

func (e *CorruptError) Error() string {
	return fmt.Sprintf("cached content %s is corrupt: %s (%s); it was removed and is made again by the next run", e.Digest.Short(), e.Reason, e.Path)
}

// Damaged reports whether an error is of content that was lost or corrupt, so
// that making it again is the remedy.
func Damaged(err error) bool {
	return errors.Is(err, ErrNotFound) || errors.As(err, new(*CorruptError))
}

func notFound(d Digest) error {
	return fmt.Errorf("content %s: %w; it is made again by the next run", d.Short(), ErrNotFound)
}

// failed wraps an error of the filesystem under the store: it names the
// directory and what to do.
func (s *Store) failed(doing string, err error) error {
	remedy := "check the directory, or set TOUCHSTONE_CACHE to another one"
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		remedy = "free some space there, make the cache smaller with \"touchstone cache gc\", or set TOUCHSTONE_CACHE to a directory on another disk"
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		remedy = "make the directory writable for this user, or set TOUCHSTONE_CACHE to a directory of your own"
	}
	return fmt.Errorf("cache %s: %s: %w; %s", s.dir, doing, err, remedy)
}
