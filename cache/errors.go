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

// A CorruptError reports a blob whose stored bytes do not match its digest.
// The blob has been removed from the store: treat the error as a miss and
// compute the content again.
type CorruptError struct {
	Digest Digest
	Path   string
	Reason string
}

func (e *CorruptError) Error() string {
	return fmt.Sprintf("cached content %s is corrupt: %s (%s); it was removed, and the next run computes it again", e.Digest.Short(), e.Reason, e.Path)
}

// Damaged reports whether err means that content is missing or corrupt, so that
// computing it again is the remedy.
func Damaged(err error) bool {
	return errors.Is(err, ErrNotFound) || errors.As(err, new(*CorruptError))
}

func notFound(d Digest) error {
	return fmt.Errorf("content %s: %w; the next run computes it again", d.Short(), ErrNotFound)
}

// failed wraps an error of the filesystem under the store with the directory
// and a remedy.
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
