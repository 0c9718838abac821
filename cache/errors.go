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
var ErrReadOnly = errors.New("the cache is read-only")

const makeWritable = "make the directory writable for this user, or choose another one with --cache-dir or " +
	"TOUCHSTONE_CACHE"

// refuse returns the error of a read-only store for something that writes to it, such as
// "running stages".
func (s *Store) refuse(doing string) error {
	return fmt.Errorf("cache %s: %w, and %s writes to it; %s", s.dir, ErrReadOnly, doing, makeWritable)
}

// Writable returns an error if the store was opened read-only. doing is what would have to
// write to it, such as "running stages".
func (s *Store) Writable(doing string) error {
	if s.readOnly {
		return s.refuse(doing)
	}
	return nil
}

// Unwritable reports whether err, of Open, means that the directory cannot be written. Open may
// then succeed with Options.ReadOnly.
func Unwritable(err error) bool {
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS)
}

// A CorruptError reports a blob whose stored bytes do not match its digest.
// The blob has been removed from the store: treat the error as a miss and
// compute the content again. If Stays is set, the store is read-only, and
// nothing was removed.
type CorruptError struct {
	Digest Digest
	Path   string
	Reason string
	Stays  bool
}

func (e *CorruptError) Error() string {
	if e.Stays {
		return fmt.Sprintf("cached content %s is corrupt: %s (%s); it stays, because the cache is read-only; %s",
			e.Digest.Short(), e.Reason, e.Path, makeWritable)
	}
	return fmt.Sprintf("cached content %s is corrupt: %s (%s); it was removed, and the next run computes it again",
		e.Digest.Short(), e.Reason, e.Path)
}

// isReadFailure reports whether err means that a file is there and could not be opened or
// read, for example because the process has too many open files. It says nothing about
// the file's content, so nothing may be removed because of it.
func isReadFailure(err error) bool {
	var number syscall.Errno
	return errors.As(err, &number) && !errors.Is(err, fs.ErrNotExist)
}

// Damaged reports whether err means that content is missing or corrupt, so that
// computing it again is the remedy. In a read-only store it is not.
func Damaged(err error) bool {
	var corrupt *CorruptError
	return errors.Is(err, ErrNotFound) || errors.As(err, &corrupt) && !corrupt.Stays
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
		remedy = "free some space there, make the cache smaller with \"touchstone cache gc\", or set " +
			"TOUCHSTONE_CACHE to a directory on another disk"
	case Unwritable(err):
		remedy = "make the directory writable for this user, or set TOUCHSTONE_CACHE to a directory of your own"
	}
	return fmt.Errorf("cache %s: %s: %w; %s", s.dir, doing, err, remedy)
}
