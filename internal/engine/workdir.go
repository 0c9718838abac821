package engine

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/gofrs/flock"

	"github.com/touchstone-eval/touchstone/cache"
)

// workDir holds the directories of one run's stages. It is locked while the
// run lives, so that what a killed run left behind can be told from what is
// in use and is removed by the next one.
type workDir struct {
	mu    sync.Mutex
	dir   string
	lock  *flock.Flock
	spare []*stageDir
}

const workLock = "lock"

// take returns an empty directory for one attempt; the first call creates the
// run's own, so that a run of hits touches nothing.
func (w *workDir) take(ctx context.Context, r *run) (*stageDir, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if n := len(w.spare); n > 0 {
		d := w.spare[n-1]
		w.spare = w.spare[:n-1]
		return d, nil
	}
	if w.dir == "" {
		if err := os.MkdirAll(r.WorkDir, 0o755); err != nil {
			return nil, fmt.Errorf("no place to run stages in: %w; choose another with --work-dir", err)
		}
		if err := w.open(ctx, r); err != nil {
			return nil, fmt.Errorf("no place to run stages in: %w; choose another with --work-dir", err)
		}
	}
	return newStageDir(w.dir)
}

// give takes a directory back when its attempt is over. One that nobody can
// reach any more is emptied for the next attempt; others are removed.
func (w *workDir) give(d *stageDir, ended bool) {
	if !ended || !d.reset() {
		removeTree(d.path)
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.spare = append(w.spare, d)
}

func (w *workDir) open(ctx context.Context, r *run) error {
	unlock, err := r.Store.LockKey(ctx, cache.Key(sha256.Sum256([]byte("work directories in "+r.WorkDir))))
	if err != nil {
		return err
	}
	defer unlock()
	sweepWorkDirs(r.WorkDir, r.Executor)
	cache.SpreadOut(r.WorkDir)
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

// leftoverEnder is what an Executor may have to end the processes of stages
// whose directories are below dir, once the run that had them is dead.
type leftoverEnder interface {
	EndLeftovers(dir string)
}

// sweepWorkDirs removes what runs that no longer live have left, and ends the
// processes that they have left. The caller holds the lock of root: between
// being made and being locked a directory looks dead.
func sweepWorkDirs(root string, executor Executor) {
	dirs, _ := filepath.Glob(filepath.Join(root, "run-*"))
	for _, dir := range dirs {
		lock := flock.New(filepath.Join(dir, workLock))
		if ok, err := lock.TryLock(); err == nil && ok {
			if e, ok := executor.(leftoverEnder); ok {
				e.EndLeftovers(dir)
			}
			removeTree(dir)
			_ = lock.Close()
		}
	}
}
