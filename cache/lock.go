package cache

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// LockKey locks a key among all processes that use the store, so that only the
// caller runs the action. It waits until the key is free or ctx ends. The lock
// of a process that dies is released. Another process may have written the
// record during the wait, so look the key up again after locking.
func (s *Store) LockKey(ctx context.Context, k Key) (unlock func(), err error) {
	return s.LockKeySaying(ctx, k, func() {})
}

// noticeAfter is how long LockKeySaying waits before it says so.
const noticeAfter = 250 * time.Millisecond

// LockKeySaying is like LockKey, and calls waits once if another holder keeps the key for more than a moment.
func (s *Store) LockKeySaying(ctx context.Context, k Key, waits func()) (unlock func(), err error) {
	if s.readOnly {
		return nil, s.refuse("running stages")
	}

	var release func()
	began, said := time.Now(), false
	err = poll(ctx, func() (done bool, err error) {
		release, err = s.tryLockKey(k)
		if release == nil && err == nil && !said && time.Since(began) > noticeAfter {
			said = true
			waits()
		}

		return release != nil, err
	})
	if err != nil {
		return nil, err
	}

	return sync.OnceFunc(release), nil
}

// lockFile locks the file at path exclusively, and creates it if needed.
func (s *Store) lockFile(ctx context.Context, path string) (f *os.File, err error) {
	err = poll(ctx, func() (done bool, err error) {
		f, err = s.tryLockFile(path)
		return f != nil, err
	})
	return f, err
}

// poll calls try until it is done or fails. It polls because a blocking wait for
// a lock cannot be interrupted. The first intervals are short, which suits short
// stages.
func poll(ctx context.Context, try func() (done bool, err error)) error {
	for wait := time.Millisecond; ; wait = min(2*wait, 50*time.Millisecond) {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}

		if done, err := try(); done || err != nil {
			return err
		}

		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			timer.Stop()
			return context.Cause(ctx)
		case <-timer.C:
		}
	}
}

// tryLockFile returns nil without an error if another holder has the lock.
func (s *Store) tryLockFile(path string) (*os.File, error) {
	f, err := s.openLock(path)
	if err != nil {
		return nil, err
	}

	ok, err := tryFlock(f, true)
	if err != nil {
		f.Close()
		return nil, s.failed("lock", err)
	}

	if !ok || !isFileAtPath(f) {
		f.Close()
		return nil, nil
	}

	return f, nil
}

// openLock opens a lock file, and creates it if needed.
func (s *Store) openLock(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if errors.Is(err, fs.ErrNotExist) {
		// Another process has emptied the store.
		if err = os.MkdirAll(filepath.Dir(path), 0o700); err == nil {
			f, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
		}
	}
	if err != nil {
		return nil, s.failed("lock", err)
	}
	return f, nil
}

// isFileAtPath reports whether the open file is the one at its path. The file may
// have been removed after it was opened and before it was locked.
func isFileAtPath(f *os.File) bool {
	open, err := f.Stat()
	if err != nil {
		return false
	}
	named, err := os.Lstat(f.Name())
	return err == nil && os.SameFile(open, named)
}

// touchLock prevents a race between a writer and an eviction: the writer sees
// that a blob exists and updates its time, while an eviction that saw the old
// time removes it. Writers hold the lock shared for a stat and a touch. An
// eviction holds it exclusively for a few removals at a time. The goroutines of
// a process share one hold.
type touchLock struct {
	path string

	mu    sync.Mutex
	file  *os.File
	users int
}

func (l *touchLock) lock() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.users == 0 {
		if err := l.acquire(); err != nil {
			return err
		}
	}
	l.users++
	return nil
}

func (l *touchLock) acquire() error {
	if l.file == nil {
		f, err := os.OpenFile(l.path, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			return err
		}

		l.file = f
	}

	for {
		ok, err := tryFlock(l.file, false)
		if ok || err != nil {
			return err
		}

		time.Sleep(100 * time.Microsecond)
	}
}

// lockTouches locks the touch lock exclusively, for an eviction.
func (s *Store) lockTouches(ctx context.Context) (*os.File, error) {
	f, err := os.OpenFile(s.touch.path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, s.failed("lock", err)
	}

	for {
		ok, err := tryFlock(f, true)
		if err == nil && !ok {
			err = context.Cause(ctx)
		}

		if err != nil {
			f.Close()
			return nil, err
		}

		if ok {
			return f, nil
		}

		time.Sleep(100 * time.Microsecond)
	}
}

func (l *touchLock) unlock() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.users--; l.users == 0 {
		// The lock belongs to this open file, so closing the file releases it
		// if the kernel refuses to unlock.
		if funlock(l.file) != nil {
			l.file.Close()
			l.file = nil
		}
	}
}

func (l *touchLock) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.users == 0 && l.file != nil {
		l.file.Close()
		l.file = nil
	}
}

const (
	writerPrefix  = "writer-"
	keyLockPrefix = "key-"
)

// session marks a process that writes to the store: a locked file whose time is
// when the process first wrote a blob. Blobs touched since the oldest live
// session began may not have their record yet, so an eviction keeps them. The
// session of a dead process is not locked and does not count.
type session struct {
	store *Store

	mu    sync.Mutex
	file  *os.File
	start time.Time
}

// begin starts the session unless it is already started.
func (w *session) begin() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.file != nil {
		return nil
	}

	s := w.store
	// An eviction that is running must see the new session.
	if err := s.touch.lock(); err != nil {
		return s.failed("lock", err)
	}

	defer s.touch.unlock()
	f, err := os.CreateTemp(s.path(locksDir), writerPrefix)
	if err != nil {
		return s.failed("write", err)
	}

	if ok, err := tryFlock(f, true); err != nil || !ok {
		discard(f)
		return s.failed("lock", errors.Join(err, errors.New("a new file is locked already")))
	}

	start := s.clock()
	if err := os.Chtimes(f.Name(), start, start); err != nil {
		discard(f)
		return s.failed("write", err)
	}

	w.file, w.start = f, start
	return nil
}

// now returns the time of the clock, but never a time before the session began:
// after a clock jumps back, new blobs must not look old.
func (w *session) now() time.Time {
	now := w.store.clock()
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.file != nil && now.Before(w.start) {
		return w.start
	}
	return now
}

func (w *session) end() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.store.touch.close()
	if w.file == nil {
		return nil
	}
	os.Remove(w.file.Name())
	err := w.file.Close()
	w.file = nil
	return err
}

// oldestWriter returns when the oldest live session began. ok is false if no
// process is writing. It removes the files of dead sessions. The caller holds
// the touch lock, because a session that is starting looks dead.
func (s *Store) oldestWriter() (oldest time.Time, ok bool, err error) {
	list, err := os.ReadDir(s.path(locksDir))
	if err != nil {
		return time.Time{}, false, s.failed("read", err)
	}

	for _, e := range list {
		if !strings.HasPrefix(e.Name(), writerPrefix) {
			continue
		}

		path := s.path(locksDir, e.Name())
		f, err := os.OpenFile(path, os.O_RDWR, 0)
		if err != nil {
			continue // it has just ended
		}

		free, lockErr := tryFlock(f, true)
		st, statErr := f.Stat()
		if lockErr == nil && free {
			os.Remove(path)
		} else if statErr == nil && (!ok || st.ModTime().Before(oldest)) {
			oldest, ok = st.ModTime(), true
		}

		f.Close()
	}

	return oldest, ok, nil
}
