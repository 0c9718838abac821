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
	mu       sync.Mutex
	versions map[string]*version // by path
}

// version is one version of a file, or the error of reading it.
type version struct {
	label  string // for messages
	digest cache.Digest
	size   int64
	mode   fs.FileMode
	err    error
	plans  bool // whether the plan was made from it
}

// fix determines the versions of the files of all selected instances, and of the files that the plan was made from. It
// is called before an instance is executed. From then on, a file may have changed since Load found it.
func (s *sources) fix(r *run, selected []selection) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.versions = map[string]*version{}
	for i, in := range r.plan.Instances {
		if selected[i] == selectNothing {
			continue
		}

		for j := range in.Inputs {
			for k := range in.Inputs[j].Files {
				f := &in.Inputs[j].Files[k]
				if s.versions[f.Source] == nil {
					s.versions[f.Source] = r.readVersion(f)
				}
			}
		}
	}

	for label, path := range r.planned() {
		v := s.versions[path]
		if v == nil {
			v = r.readVersion(&pipeline.SourceFile{Source: path, Label: label})
			s.versions[path] = v
		}
		v.plans = true
	}
	r.executed.Store(true)
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
	v := &version{label: f.Label}
	if f.Found != nil && !r.executed.Load() {
		v.digest, v.size, v.mode, v.err = r.Index.FileAs(f.Found)
	} else {
		v.digest, v.size, v.mode, v.err = r.Index.File(f.Source)
	}
	return v
}

// of returns the version of a file, or nil if none was determined.
func (s *sources) of(path string) *version {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.versions[path]
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
	for path, v := range s.versions {
		how := v.became(r.Index.File(path))
		if how != "" {
			became[v.label] = how
			replanned = replanned || v.plans
		}
	}

	// Another pipeline may name other files that were there all the time.
	if len(s.versions) > 0 && r.Reload != nil && !replanned {
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

	was, is := places(r.plan, stages), places(again, stages)
	for label, place := range is {
		switch before, known := was[label]; {
		case became[label] != "":
		case !known:
			became[label] = Added
		case before != place:
			became[label] = Edited
		}
	}
	for label := range was {
		if _, left := is[label]; !left && became[label] == "" {
			became[label] = Removed
		}
	}
}

// places returns the paths of the files that stages read, by their names for messages.
func places(plan *pipeline.Plan, stages map[string]bool) map[string]string {
	found := map[string]string{}
	var last *pipeline.Input // instances of a stage share the inputs that do not differ
	for _, in := range plan.Instances {
		if !stages[in.Stage] || len(in.Inputs) == 0 || &in.Inputs[0] == last {
			continue
		}

		last = &in.Inputs[0]
		for i := range in.Inputs {
			for _, f := range in.Inputs[i].Files {
				found[f.Label] = f.Source
			}
		}
	}
	return found
}
