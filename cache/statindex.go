package cache

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// A StatIndex remembers the digests of source files, so that an unchanged file
// costs one lstat. It compares size, modification time, inode and change time.
// It does not trust a file that changed so shortly before it was hashed that a
// later edit could leave the same times. It is safe for concurrent use.
type StatIndex struct {
	store *Store
	path  string
	// Problem is the reason why an existing index could not be used, so that
	// all files are hashed again. It is empty if the index was used.
	Problem string

	mu          sync.RWMutex
	entries     map[string]*statEntry
	dirty       bool
	hashedFiles int
	hashedBytes int64
}

// A FileVersion is a file at the time when it was hashed. It is as small as a pointer.
type FileVersion struct{ e *statEntry }

// Digest returns the digest of the content.
func (v FileVersion) Digest() Digest { return v.e.digest }

// Size returns the size in bytes.
func (v FileVersion) Size() int64 { return v.e.size }

// Mode returns the permissions.
func (v FileVersion) Mode() fs.FileMode { return v.e.mode.Perm() }

// statEntry describes a file at the time when it was hashed.
type statEntry struct {
	fileStat
	idle   uint8 // number of saves since the file was last asked for
	used   atomic.Bool
	digest Digest
}

// File times come from a clock that ticks every 1 to 10 ms. Two edits within a
// tick leave the same times, so a file counts as settled only if its times are
// a little older than that. Filesystems with a resolution of one or two seconds
// need a longer interval.
const (
	fineTick   = 50 * time.Millisecond
	coarseTick = 2 * time.Second
)

// maxIdle is the number of saves without a use after which an entry is dropped.
const maxIdle = 50

// OpenStatIndex loads the index of a project. id is usually the absolute path of
// the project's root. A missing, damaged or future index is treated as empty.
func (s *Store) OpenStatIndex(id string) *StatIndex {
	x := &StatIndex{store: s, path: s.path(statDir, fileID(id)), entries: map[string]*statEntry{}}
	b, err := os.ReadFile(x.path)
	if errors.Is(err, fs.ErrNotExist) {
		return x
	}

	var saved time.Time
	if err == nil {
		var entries map[string]*statEntry
		if entries, saved, err = decodeStatIndex(b); err == nil && saved.After(s.clock()) {
			err = fmt.Errorf("it was saved at %s, which is in the future", saved.Format(time.RFC3339))
		} else if err == nil {
			x.entries = entries
		}
	}

	if err != nil {
		x.Problem = "the stat index is not used: " + err.Error()
		x.dirty = true
	}

	return x
}

// fileID returns a file name for an arbitrary string.
func fileID(id string) string { return Digest(sha256.Sum256([]byte(id))).String() }

// File returns the digest, size and permissions of a regular file. It reads the
// file only if the index has no entry for its present state.
func (x *StatIndex) File(path string) (Digest, int64, fs.FileMode, error) {
	return attributes(x.Version(path))
}

// Version is like File.
func (x *StatIndex) Version(path string) (FileVersion, error) {
	e, err := lstat(path)
	if err != nil {
		return FileVersion{}, statError(path, err)
	}
	return x.version(path, e)
}

func attributes(v FileVersion, err error) (Digest, int64, fs.FileMode, error) {
	if err != nil {
		return Digest{}, 0, 0, err
	}
	return v.Digest(), v.Size(), v.Mode(), nil
}

// FileAs is like File, but uses the file status in found, which the caller has just
// read with Lstat.
func (x *StatIndex) FileAs(found *FileInfo) (Digest, int64, fs.FileMode, error) {
	return attributes(x.VersionAs(found))
}

// VersionAs is to Version what FileAs is to File.
func (x *StatIndex) VersionAs(found *FileInfo) (FileVersion, error) {
	return x.version(found.path, found.stat)
}

func (x *StatIndex) version(path string, e fileStat) (FileVersion, error) {
	if !e.mode.IsRegular() {
		return FileVersion{}, &NotRegularError{path, e.mode}
	}

	x.mu.RLock()
	known := x.entries[path]
	x.mu.RUnlock()
	if known != nil && known.fileStat == e {
		// A time in the future may occur again when the clock gets there.
		if now := x.store.clock().UnixNano(); e.mtime <= now && e.ctime <= now {
			if !known.used.Load() {
				known.used.Store(true)
			}

			return FileVersion{known}, nil
		}
	}

	return x.hash(path)
}

// settled reports whether an edit after the given time must leave different
// times on the file.
func (e fileStat) settled(hashed time.Time) bool {
	changed := max(e.mtime, e.ctime)
	tick := fineTick
	if e.ctime%int64(time.Second) == 0 && e.mtime%int64(time.Second) == 0 {
		tick = coarseTick
	}
	return changed < hashed.Add(-tick).UnixNano()
}

// hash reads a file, and adds it to the index if that is safe.
func (x *StatIndex) hash(path string) (FileVersion, error) {
	const tries = 3
	for try := 1; ; try++ {
		began := x.store.clock()
		f, err := OpenRegular(path)
		if err != nil {
			return FileVersion{}, statError(path, err)
		}

		d, n, before, after, err := hashOpen(f)
		f.Close()
		if err != nil {
			return FileVersion{}, statError(path, err)
		}

		if n == after.size && before == after {
			e := &statEntry{fileStat: before, digest: d}
			x.remember(path, e, began)
			return FileVersion{e}, nil
		}

		if try == tries {
			return FileVersion{}, fmt.Errorf("%s changes while it is being read; run again when nothing writes to it",
				path)
		}
	}
}

func hashOpen(f *os.File) (d Digest, n int64, before, after fileStat, err error) {
	if before, err = fstat(f); err != nil {
		return
	}
	h := sha256.New()
	if n, err = io.Copy(h, limited(f, before.size)); err != nil {
		return
	}
	after, err = fstat(f)
	return Digest(h.Sum(nil)), n, before, after, err
}

func (x *StatIndex) remember(path string, e *statEntry, began time.Time) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.hashedFiles++
	x.hashedBytes += e.size
	if e.settled(began) {
		e.used.Store(true)
		x.entries[path] = e
		x.dirty = true
	} else if _, old := x.entries[path]; old {
		delete(x.entries, path)
		x.dirty = true
	}
}

func statError(path string, err error) error {
	if errors.As(err, new(*NotRegularError)) {
		return err
	}

	remedy := "check the file and its disk"
	switch {
	case errors.Is(err, fs.ErrNotExist):
		remedy = "create the file or correct its name"
	case errors.Is(err, fs.ErrPermission):
		remedy = "make the file readable for this user"
	}
	return fmt.Errorf("read %s: %w; %s", path, err, remedy)
}

// hashed returns how many files and bytes were read since the index was opened.
func (x *StatIndex) hashed() (files int, bytes int64) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.hashedFiles, x.hashedBytes
}

// Save writes the index if it has changed. If two processes save, the last one
// wins, and the files of the other are hashed once more.
func (x *StatIndex) Save() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if !x.dirty || x.store.readOnly {
		return nil
	}

	for path, e := range x.entries {
		switch {
		case e.used.Load():
			e.idle = 0
		case e.idle >= maxIdle:
			delete(x.entries, path)
		default:
			e.idle++
		}
	}

	f, err := x.store.temp()
	if err != nil {
		return err
	}

	if err := encodeStatIndex(f, x.entries, x.store.clock()); err != nil {
		discard(f)
		return x.store.failed("write", err)
	}

	if err := x.store.publish(f, x.path, 0, time.Time{}); err != nil {
		return err
	}

	x.dirty = false
	return nil
}
