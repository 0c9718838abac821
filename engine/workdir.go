package engine

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"

	"github.com/touchstone-eval/touchstone/cache"
)

// workDir holds the directories of one run's stages. It is locked while the
// run lives, so that what a killed run left behind can be told from what is
// in use and is removed by the next one.
type workDir struct {
	dir  string
	lock *flock.Flock
}

const workLock = "lock"

// freshDir returns a fresh directory for one attempt; the first call creates the
// run's own, so that a run of hits touches nothing.
func (r *run) freshDir(ctx context.Context, w *workDir) (string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if w.dir == "" {
		if err := os.MkdirAll(r.WorkDir, 0o755); err != nil {
			return "", fmt.Errorf("no place to run stages in: %w; choose another with --work-dir", err)
		}
		if err := r.openWorkDir(ctx, w); err != nil {
			return "", fmt.Errorf("no place to run stages in: %w; choose another with --work-dir", err)
		}
	}
	return os.MkdirTemp(w.dir, "stage-")
}

func (r *run) openWorkDir(ctx context.Context, w *workDir) error {
	unlock, err := r.Store.LockKey(ctx, cache.Key(sha256.Sum256([]byte("work directories in "+r.WorkDir))))
	if err != nil {
		return err
	}
	defer unlock()
	sweepWorkDirs(r.WorkDir)
	dir, err := os.MkdirTemp(r.WorkDir, "run-")
	if err != nil {
		return err
	}
	lock := flock.New(filepath.Join(dir, workLock))
	if _, err := lock.TryLock(); err != nil {
		return err
	}
	w.dir, w.lock = dir, lock
	return nil
}

func (w *workDir) close() {
	if w.dir != "" {
		removeTree(w.dir)
		_ = w.lock.Close()
	}
}

// sweepWorkDirs removes what runs that no longer live have left. The caller
// holds the lock of root: between being made and being locked a directory
// looks dead.
func sweepWorkDirs(root string) {
	dirs, _ := filepath.Glob(filepath.Join(root, "run-*"))
	for _, dir := range dirs {
		lock := flock.New(filepath.Join(dir, workLock))
		if ok, err := lock.TryLock(); err == nil && ok {
			removeTree(dir)
			_ = lock.Close()
		}
	}
}
