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

// workDir holds the directories of one run's stages. It is locked during the run, so that
// the next run can distinguish it from the directory of a run that was killed, which it
// removes.
type workDir struct {
	mu      sync.Mutex
	dir     string
	lock    *flock.Flock
	started *os.File // see note
	spare   []*stageDir
}

const workLock = "lock"

// acquire returns an empty directory for one attempt. The first call creates the directory of
// the run, so that a run with only hits writes nothing.
func (w *workDir) acquire(ctx context.Context, r *run) (*stageDir, error) {
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

// release returns a directory after its attempt. If ended is true, so that no process can use
// it anymore, it is emptied for the next attempt. Otherwise it is removed.
func (w *workDir) release(d *stageDir, ended bool) {
	if !ended || !d.reset() {
		removeTree(d.path)
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.spare = append(w.spare, d)
}

func (w *workDir) open(ctx context.Context, r *run) error {
	unlock, err := lockWorkDirs(ctx, r.Store, r.WorkDir)
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

// lockWorkDirs locks the creation and the removal of directories in root.
func lockWorkDirs(ctx context.Context, store *cache.Store, root string) (unlock func(), err error) {
	return store.LockKey(ctx, cache.Key(sha256.Sum256([]byte("work directories in "+root))))
}

// SweepWorkDirs does what the next run that executes a stage does: it removes the directories
// of runs that were killed, which are in root, and kills their remaining processes.
func SweepWorkDirs(ctx context.Context, store *cache.Store, root string, executor Executor) error {
	unlock, err := lockWorkDirs(ctx, store, root)
	if err != nil {
		return fmt.Errorf("removing what killed runs left in %s: %w", root, err)
	}
	defer unlock()
	sweepWorkDirs(root, executor)
	return nil
}

func (w *workDir) close() {
	if w.dir != "" {
		_ = w.started.Close()
		removeTree(w.dir)
		_ = w.lock.Close()
	}
}

// leftoverEnder is implemented by an Executor that can kill the remaining processes of a
// run that was killed. Their directories are inside dir.
type leftoverEnder interface {
	EndLeftovers(dir string)
}

// sweepWorkDirs removes the directories of runs that were killed, and kills their remaining
// processes. The caller holds the lock of root, because a directory that was created but
// not yet locked looks like that of a killed run.
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
