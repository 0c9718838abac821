package engine

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"
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
func (r *run) freshDir(w *workDir) (string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if w.dir == "" {
		if err := os.MkdirAll(r.WorkDir, 0o755); err != nil {
			return "", fmt.Errorf("no place to run stages in: %w; choose another with --work-dir", err)
		}
		sweepWorkDirs(r.WorkDir)
		dir, err := os.MkdirTemp(r.WorkDir, "run-")
		if err != nil {
			return "", fmt.Errorf("no place to run stages in: %w; choose another with --work-dir", err)
		}
		w.dir, w.lock = dir, flock.New(filepath.Join(dir, workLock))
		if _, err := w.lock.TryLock(); err != nil {
			return "", fmt.Errorf("locking %s: %w", dir, err)
		}
	}
	return os.MkdirTemp(w.dir, "stage-")
}

func (w *workDir) close() {
	if w.dir != "" {
		_ = os.RemoveAll(w.dir)
		_ = w.lock.Close()
	}
}

// sweepWorkDirs removes what runs that no longer live have left.
func sweepWorkDirs(root string) {
	dirs, _ := filepath.Glob(filepath.Join(root, "run-*"))
	for _, dir := range dirs {
		file := filepath.Join(dir, workLock)
		if _, err := os.Stat(file); err != nil {
			continue // just made, not locked yet
		}
		lock := flock.New(file)
		if ok, err := lock.TryLock(); err == nil && ok {
			_ = os.RemoveAll(dir)
			_ = lock.Close()
		}
	}
}
