package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/touchstone-eval/touchstone/pipeline"
)

// watched follows the files that a pipeline reads. Directories are watched and
// not files, since editors save by putting another file in the place of the
// old one.
type watched struct {
	system  *fsnotify.Watcher
	sources []string // the pipeline's own files

	// last is what the last plan gave.
	last struct {
		root                string
		files, dirs, passed []string
	}

	mu       sync.Mutex
	files    map[string]bool // read by stages, or always
	dirs     map[string]os.FileInfo
	passed   []string // what is published: our own doing
	pending  map[string]bool
	edited   func() // ends the run that reads the files
	notified chan struct{}
	failed   error
}

func newWatched(always []string) (*watched, error) {
	system, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, fmt.Errorf("watch files: %w; on Linux, sysctl fs.inotify.max_user_instances may be too small", err)
	}
	w := &watched{system: system, files: map[string]bool{}, dirs: map[string]os.FileInfo{}, pending: map[string]bool{}, notified: make(chan struct{}, 1)}
	if err := w.keep(always); err != nil {
		_ = system.Close()
		return nil, err
	}
	go w.collect()
	return w, nil
}

// always sets the files that are followed whatever the plan is.
func (w *watched) always(files []string) error {
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

// keep turns to the files of a pipeline that has no plan, and still follows
// what its last plan read.
func (w *watched) keep(files []string) error {
	if err := w.always(files); err != nil {
		return err
	}
	return w.set(w.last.root, w.last.files, w.last.dirs, w.last.passed)
}

func (w *watched) close() { _ = w.system.Close() }

// follow turns to the files that a plan reads.
func (w *watched) follow(plan *pipeline.Plan) error {
	var files, dirs []string
	var last *pipeline.Input // instances of a stage share what does not differ
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

// set watches the directories, those of the files and, within root, those that
// hold them, in any of which another may take the place of one; and no others.
func (w *watched) set(root string, files, dirs, passed []string) error {
	known, wanted := map[string]bool{}, map[string]bool{}
	for _, dir := range dirs {
		wanted[dir] = true
	}
	for _, file := range append(slices.Clone(w.sources), files...) {
		known[file] = true
		wanted[filepath.Dir(file)] = true
	}
	for dir := range maps.Clone(wanted) {
		for rel, err := filepath.Rel(root, dir); err == nil && filepath.IsLocal(rel) && rel != "."; rel = filepath.Dir(rel) {
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
			_ = w.system.Remove(dir) // another directory has taken its place
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
			_ = w.system.Remove(dir) // it may be gone already
		}
	}
	w.files, w.dirs, w.passed = known, watching, passed
	return nil
}

// collect notes events until the watcher is closed.
func (w *watched) collect() {
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
				w.pending["many files"] = true // what they were is lost; all are looked at
			} else {
				w.failed = err
			}
			w.mu.Unlock()
			w.notify()
		}
	}
}

// note keeps an event that may matter: of a file that a stage reads, or of one
// that is new beside such a file.
func (w *watched) note(e fsnotify.Event) {
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
	if ours || !known && (strings.HasPrefix(base, ".") || strings.HasSuffix(base, "~")) {
		w.mu.Unlock()
		return
	}
	if e.Has(fsnotify.Remove) {
		delete(w.dirs, e.Name) // made again, it has to be watched again
	}
	w.pending[e.Name] = true
	edited := w.edited
	w.mu.Unlock()
	if known && edited != nil {
		edited()
	}
	w.notify()
}

func (w *watched) notify() {
	select {
	case w.notified <- struct{}{}:
	default: // it is known already that there is something
	}
}

// untilEdited gives a context that ends when a file that a stage reads is
// edited: what a run makes of the old one is of no use any more.
func (w *watched) untilEdited(ctx context.Context) (context.Context, context.CancelFunc) {
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

// longestQuiet bounds how long files that never rest can put a run off, as a
// multiple of how long they are to rest.
const longestQuiet = 10

// wait waits for an event and then until files were left alone for quiet. It
// gives the paths, as short as they can be named from here.
func (w *watched) wait(ctx context.Context, quiet time.Duration) ([]string, error) {
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-w.notified:
	}
	latest := time.After(longestQuiet * quiet)
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
