package engine

import (
	"errors"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"sync"

	"github.com/touchstone-eval/touchstone/cache"
	"github.com/touchstone-eval/touchstone/pipeline"
)

// sources are the versions of source files that a run uses. All instances of a run use one version of each file: the
// one
// that was there before the first of them was executed. What is copied for a stage later is compared with it.
type sources struct {
	mu sync.Mutex
	// used has the files by path. There may be a hundred thousand, so the few that could not be read, and those that
	// the plan was made from, are noted apart.
	used    map[string]used
	failed  map[string]error
	planned map[string]bool
}

// used is a file of a run, in the version that the run uses. file has its name for messages.
type used struct {
	file  *pipeline.SourceFile
	found cache.FileVersion
}

// version is one version of a file, or the error of reading it.
type version struct {
	digest cache.Digest
	size   int64
	mode   fs.FileMode
	err    error
}

// fix determines the versions of the files of all selected instances, and of the files that the plan was made from. It
// is called before an instance is executed. From then on, a file may have changed since Load found it.
func (s *sources) fix(r *run, selected []selection) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.used, s.failed, s.planned = map[string]used{}, map[string]error{}, map[string]bool{}
	for i, in := range r.plan.Instances {
		if selected[i] == selectNothing {
			continue
		}

		for j := range in.Inputs {
			for k := range in.Inputs[j].Files {
				s.add(r, &in.Inputs[j].Files[k])
			}
		}
	}

	for label, path := range r.planned() {
		s.add(r, &pipeline.SourceFile{Source: path, Label: label})
		s.planned[path] = true
	}
	r.executed.Store(true)
}

// add determines the version of a file, unless it is known.
func (s *sources) add(r *run, f *pipeline.SourceFile) {
	if _, known := s.used[f.Source]; known {
		return
	}
	found, err := r.find(f)
	s.used[f.Source] = used{f, found}
	if err != nil {
		s.failed[f.Source] = err
	}
}

// planned returns the paths of the files that the plan was made from, by their names for messages.
func (r *run) planned() map[string]string {
	files := map[string]string{}
	for _, name := range slices.Concat(r.plan.Files, r.VarFiles) {
		if path, err := realPath(name); err == nil {
			files[name] = path
		}
	}

	root, err := realPath(r.plan.Root)
	for _, path := range r.plan.Consulted {
		label := path
		if rel, outside := filepath.Rel(root, path); err == nil && outside == nil && filepath.IsLocal(rel) {
			label = filepath.ToSlash(rel)
		}
		files[label] = path
	}
	return files
}

// realPath returns the absolute path without symbolic links.
func realPath(path string) (string, error) {
	resolved, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", err
	}
	return filepath.Abs(resolved)
}

// readVersion reads the version of a file that Load found, if nothing was executed since then.
func (r *run) readVersion(f *pipeline.SourceFile) *version {
	return versionOf(r.find(f))
}

func (r *run) find(f *pipeline.SourceFile) (cache.FileVersion, error) {
	if f.Found != nil && !r.executed.Load() {
		return r.Index.VersionAs(f.Found)
	}
	return r.Index.Version(f.Source)
}

func versionOf(found cache.FileVersion, err error) *version {
	if err != nil {
		return &version{err: err}
	}
	return &version{digest: found.Digest(), size: found.Size(), mode: found.Mode()}
}

// of returns the version of a file, or nil if none was determined.
func (s *sources) of(path string) *version {
	s.mu.Lock()
	defer s.mu.Unlock()
	u, known := s.used[path]
	if !known {
		return nil
	}
	return versionOf(u.found, s.failed[path])
}

// SourceChange is what became of a source file while a run worked.
type SourceChange struct {
	Name string
	How  Became
}

// Became says what became of a file.
type Became string

// A file was edited or replaced, was added to those that the pipeline names, or was removed from them. The last one is
// for the pipeline's own file: another file, such as a directory in the place of an input, makes it invalid.
const (
	Edited      Became = "changed"
	Added       Became = "was added"
	Removed     Became = "was removed"
	Unplannable Became = "could no longer be planned"
)

// changed names the files that are no longer what the run used. It finds nothing if nothing was executed.
func (s *sources) changed(r *run, selected []selection) []SourceChange {
	s.mu.Lock()
	defer s.mu.Unlock()
	became := map[string]Became{}
	replanned := false
	for path, u := range s.used {
		how := versionOf(u.found, s.failed[path]).became(r.Index.File(path))
		if how != "" {
			became[u.file.Label] = how
			replanned = replanned || s.planned[path]
		}
	}

	// Another pipeline may name other files that were there all the time.
	if len(s.used) > 0 && r.Reload != nil && !replanned {
		if again := r.Reload(); again != nil {
			r.relisted(again, selected, became)
		} else if len(became) == 0 && len(r.plan.Files) > 0 {
			became[r.plan.Files[0]] = Unplannable
		}
	}

	var changes []SourceChange
	for _, name := range slices.Sorted(maps.Keys(became)) {
		changes = append(changes, SourceChange{name, became[name]})
	}
	return changes
}

// became says what became of a file, from what StatIndex.File returns now, or "" if nothing did.
func (v *version) became(digest cache.Digest, _ int64, mode fs.FileMode, err error) Became {
	switch missing := errors.Is(err, fs.ErrNotExist); {
	case errors.Is(v.err, fs.ErrNotExist):
		if !missing {
			return Added
		}
	case v.err != nil: // a directory that was listed, for example
	case missing:
		return Removed
	case err != nil || digest != v.digest || fileKind(mode) != fileKind(v.mode):
		return Edited
	}
	return ""
}

// relisted adds the files that the selected stages read in only one of two plans, or from another place, as through
// a symbolic link that has another target now.
func (r *run) relisted(again *pipeline.Plan, selected []selection, became map[string]Became) {
	stages := map[string]bool{}
	for i, in := range r.plan.Instances {
		stages[in.Stage] = stages[in.Stage] || selected[i] != selectNothing
	}

	type place struct {
		source string
		left   bool
	}
	was := map[string]*place{}
	places(r.plan, stages, func(f *pipeline.SourceFile) { was[f.Label] = &place{source: f.Source} })
	places(again, stages, func(f *pipeline.SourceFile) {
		before := was[f.Label]
		if before != nil {
			before.left = true
		}

		switch {
		case became[f.Label] != "":
		case before == nil:
			became[f.Label] = Added
		case before.source != f.Source:
			became[f.Label] = Edited
		}
	})
	for label, before := range was {
		if !before.left && became[label] == "" {
			became[label] = Removed
		}
	}
}

// places calls found for the files that stages read.
func places(plan *pipeline.Plan, stages map[string]bool, found func(*pipeline.SourceFile)) {
	var last *pipeline.Input // instances of a stage share the inputs that do not differ
	for _, in := range plan.Instances {
		if !stages[in.Stage] || len(in.Inputs) == 0 || &in.Inputs[0] == last {
			continue
		}

		last = &in.Inputs[0]
		for i := range in.Inputs {
			for j := range in.Inputs[i].Files {
				found(&in.Inputs[i].Files[j])
			}
		}
	}
}
