// Package filewatch watches the files that a pipeline reads, for touchstone watch.
package filewatch

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/touchstone-eval/touchstone/internal/base/lazyregexp"
	"github.com/touchstone-eval/touchstone/pipeline"
)

// Watcher watches the files that a pipeline reads. It watches directories rather than files,
// because editors save by replacing the old file with a new one.
type Watcher struct {
	system  *fsnotify.Watcher
	sources []string // the pipeline's own files

	// last holds the values of the last plan.
	last struct {
		root                string
		files, dirs, passed []string
	}

	mu       sync.Mutex
	files    map[string]bool // read by stages, or in Always
	dirs     map[string]os.FileInfo
	passed   []string // published files, which this program itself writes
	pending  map[string]bool
	edited   func() // stops the run that reads the files
	notified chan struct{}
	failed   error
}

// New watches the files of a pipeline that has no plan yet.
func New(files []string) (*Watcher, error) {
	system, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, fmt.Errorf("watch files: %w; on Linux, sysctl fs.inotify.max_user_instances may be too small", err)
	}

	w := &Watcher{system: system, files: map[string]bool{}, dirs: map[string]os.FileInfo{}, pending: map[string]bool{},
		notified: make(chan struct{}, 1)}
	if err := w.Keep(files); err != nil {
		_ = system.Close()
		return nil, err
	}

	go w.collect()
	return w, nil
}

// Always sets the files that are watched for any plan.
func (w *Watcher) Always(files []string) error {
	w.sources = nil
	for _, file := range files {
		abs, err := filepath.Abs(file)
		if err != nil {
			return err
		}
		w.sources = append(w.sources, abs)
	}
	return nil
}

// Keep watches the files of a pipeline without a plan, and the files that its last plan read.
func (w *Watcher) Keep(files []string) error {
	if err := w.Always(files); err != nil {
		return err
	}
	return w.set(w.last.root, w.last.files, w.last.dirs, w.last.passed)
}

// Close ends the watch.
func (w *Watcher) Close() { _ = w.system.Close() }

// Follow starts to watch the files of a plan.
func (w *Watcher) Follow(plan *pipeline.Plan) error {
	var files, dirs []string
	var last *pipeline.Input // instances of a stage share the inputs that do not differ
	for _, in := range plan.Instances {
		if len(in.Inputs) == 0 || &in.Inputs[0] == last {
			continue
		}

		last = &in.Inputs[0]
		for i := range in.Inputs {
			for _, f := range in.Inputs[i].Files {
				files = append(files, f.Source)
			}
		}
	}

	for _, path := range plan.Consulted {
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			dirs = append(dirs, path)
		} else {
			files = append(files, path)
		}
	}

	var passed []string
	for _, p := range plan.Publish {
		passed = append(passed, filepath.Join(plan.Root, filepath.FromSlash(p.Path)))
	}

	w.last.root, w.last.files, w.last.dirs, w.last.passed = plan.Root, files, dirs, passed
	return w.set(plan.Root, files, dirs, passed)
}

// set watches the directories of the files and, within root, their parent directories, because
// any of them may be replaced. It stops watching all others.
func (w *Watcher) set(root string, files, dirs, passed []string) error {
	known, wanted := map[string]bool{}, map[string]bool{}
	for _, dir := range dirs {
		wanted[dir] = true
	}

	for _, file := range append(slices.Clone(w.sources), files...) {
		known[file] = true
		wanted[filepath.Dir(file)] = true
	}

	for dir := range maps.Clone(wanted) {
		for rel, err := filepath.Rel(root, dir); err == nil && filepath.IsLocal(rel) &&
			rel != "."; rel = filepath.Dir(rel) {
			wanted[filepath.Join(root, rel)] = true
		}
	}

	w.mu.Lock()
	defer w.mu.Unlock()
	watching := make(map[string]os.FileInfo, len(wanted))
	for dir := range wanted {
		now, err := os.Stat(dir)
		if before := w.dirs[dir]; before != nil {
			if err == nil && os.SameFile(before, now) {
				watching[dir] = before
				continue
			}

			_ = w.system.Remove(dir) // it was replaced by another directory
		}

		if err == nil {
			err = w.system.Add(dir)
		}

		switch {
		case err == nil:
			watching[dir] = now
		case !errors.Is(err, os.ErrNotExist):
			return fmt.Errorf("watch %s: %w; on Linux, sysctl fs.inotify.max_user_watches may be too small", dir, err)
		}
	}

	for dir := range w.dirs {
		if !wanted[dir] {
			_ = w.system.Remove(dir) // fails if it was removed
		}
	}

	w.files, w.dirs, w.passed = known, watching, passed
	return nil
}

// collect records events until the watcher is closed.
func (w *Watcher) collect() {
	for {
		select {
		case e, ok := <-w.system.Events:
			if !ok {
				return
			}

			w.note(e)
		case err, ok := <-w.system.Errors:
			if !ok {
				return
			}

			w.mu.Lock()
			if errors.Is(err, fsnotify.ErrEventOverflow) {
				w.pending["many files"] = true // events were lost, so check all files
			} else {
				w.failed = err
			}

			w.mu.Unlock()
			w.notify()
		}
	}
}

// note records an event if it may matter: for a file that a stage reads, or for a new file next to
// one.
func (w *Watcher) note(e fsnotify.Event) {
	if e.Op == fsnotify.Chmod {
		return
	}

	w.mu.Lock()
	known := w.files[e.Name]
	base := filepath.Base(e.Name)
	ours := slices.ContainsFunc(w.passed, func(p string) bool {
		rel, err := filepath.Rel(p, e.Name)
		return err == nil && filepath.IsLocal(rel)
	})
	if ours || !known && isEditorFile(base) {
		w.mu.Unlock()
		return
	}

	if e.Has(fsnotify.Remove) {
		delete(w.dirs, e.Name) // if it is created again, it must be watched again
	}

	w.pending[e.Name] = true
	edited := w.edited
	w.mu.Unlock()
	if known && edited != nil {
		edited()
	}

	w.notify()
}

// editorFiles matches the names of files that editors and sed write next to a file while they save
// it: backups, swap and lock files, and Vim's test of whether it can write (4913 and so on).
var editorFiles = lazyregexp.New(`^\.|~$|^#.*#$|\.sw[a-p]$|___jb_(tmp|old)___$|^[0-9]{4,5}$|^sed[A-Za-z0-9]{6}$`)

func isEditorFile(base string) bool { return editorFiles().MatchString(base) }

func (w *Watcher) notify() {
	select {
	case w.notified <- struct{}{}:
	default: // a notification is already pending
	}
}

// UntilEdited returns a context that ends when a file that a stage reads changes, because the
// results of the run are then out of date.
func (w *Watcher) UntilEdited(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.edited = cancel
	return ctx, func() {
		w.mu.Lock()
		w.edited = nil
		w.mu.Unlock()
		cancel()
	}
}

// maxQuietPeriods limits how long files that keep changing can delay a run, as a multiple of the
// quiet period.
const maxQuietPeriods = 10

// Wait waits for an event, and then until the files are unchanged for the quiet period. It returns
// the changed paths, relative to the current directory if that is shorter.
func (w *Watcher) Wait(ctx context.Context, quiet time.Duration) ([]string, error) {
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-w.notified:
	}

	latest := time.After(maxQuietPeriods * quiet)
	for settling := true; settling; {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-w.notified:
		case <-latest:
			settling = false
		case <-time.After(quiet):
			settling = false
		}
	}

	w.mu.Lock()
	defer w.mu.Unlock()
	if w.failed != nil {
		return nil, fmt.Errorf("watch files: %w; start the watch again", w.failed)
	}

	here, _ := os.Getwd()
	names := make([]string, 0, len(w.pending))
	for path := range w.pending {
		if rel, err := filepath.Rel(here, path); err == nil && filepath.IsLocal(rel) {
			path = rel
		}

		names = append(names, path)
	}

	slices.Sort(names)
	clear(w.pending)
	return names, nil
}
