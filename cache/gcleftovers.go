package cache

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"
)

const (
	// A temporary file that was not written to for this long has no owner.
	tempAge = time.Hour
	// Tombstones and stat indexes older than this are removed.
	tombstoneAge = 90 * 24 * time.Hour
	// A younger history may belong to a run that has not written its record
	// yet.
	historyAge = 24 * time.Hour
)

// gcLeftovers removes files that dead processes left behind, and old tombstones
// and stat indexes. It returns the number of removed files.
func (s *Store) gcLeftovers(ctx context.Context) (n int, err error) {
	now := s.clock()
	old := func(folder string, age time.Duration) error {
		list, err := os.ReadDir(s.path(folder))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return s.failed("read", err)
		}

		for _, e := range list {
			st, err := e.Info()
			if err == nil && now.Sub(st.ModTime()) > age && os.Remove(s.path(folder, e.Name())) == nil {
				n++
			}
		}

		return nil
	}
	if err := old(tmpDir, tempAge); err != nil {
		return n, err
	}

	if err := old(statDir, tombstoneAge); err != nil {
		return n, err
	}

	err = s.walk(goneDir, func(e entry) error {
		if now.Sub(e.mtime) > tombstoneAge && os.Remove(e.path) == nil {
			n++
		}

		return ctx.Err()
	})
	if err != nil {
		return n, err
	}

	histories, err := s.gcHistories(ctx)
	n += histories
	if err != nil {
		return n, err
	}

	locks, err := os.ReadDir(s.path(locksDir))
	if err != nil {
		return n, s.failed("read", err)
	}

	for _, e := range locks {
		if !strings.HasPrefix(e.Name(), keyLockPrefix) {
			continue
		}

		// Once it is locked here, nobody else holds it. A process that waits
		// for it checks afterwards that the file still has its name.
		f, err := s.tryLockFile(s.path(locksDir, e.Name()))
		if err != nil || f == nil {
			continue
		}

		if os.Remove(f.Name()) == nil {
			n++
		}

		f.Close()
	}

	return n, nil
}

// gcHistories removes histories whose keys have no records: a history is only used
// to find earlier records. Without this, a store used by
// many checkouts in temporary directories would grow without limit.
func (s *Store) gcHistories(ctx context.Context) (n int, err error) {
	projects, err := os.ReadDir(s.path(historyDir))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return 0, s.failed("read", err)
	}

	for _, p := range projects {
		dir := s.path(historyDir, p.Name())
		list, err := os.ReadDir(dir)
		if err != nil {
			continue // no directory, or gone
		}

		var doomed []entry
		for _, f := range list {
			if err := ctx.Err(); err != nil {
				return n, context.Cause(ctx)
			}

			st, err := f.Info()
			if err != nil || s.clock().Sub(st.ModTime()) <= historyAge {
				continue
			}

			e := entry{path: s.path(historyDir, p.Name(), f.Name()), mtime: st.ModTime()}
			if !slices.ContainsFunc(readHistory(e.path), func(h HistoryEntry) bool { return s.recorded(h.Key) }) {
				doomed = append(doomed, e)
			}
		}

		if len(doomed) == 0 {
			continue
		}

		lock, err := s.lockFile(ctx, s.path(locksDir, "history"))
		if err != nil {
			return n, err
		}

		for _, e := range doomed {
			if unchanged(e.path, e.mtime) && os.Remove(e.path) == nil {
				n++
			}
		}

		_ = os.Remove(dir) // fails, as it should, unless the directory is empty
		lock.Close()
	}

	return n, nil
}

// recorded reports whether a key has a record. It costs one stat.
func (s *Store) recorded(k Key) bool {
	_, err := lstat(s.entryPath(recordsDir, k))
	return err == nil
}
