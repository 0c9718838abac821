package engine

import (
	"io/fs"
	"slices"
	"strings"
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
}

// fix determines the versions of the files of all selected instances. It is called before an instance is executed. From
// then on, a file may have changed since Load found it.
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
	r.executed.Store(true)
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

// changed names the files that no longer have the version that the run used.
func (s *sources) changed(r *run) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var labels []string
	for path, v := range s.versions {
		if d, _, mode, err := r.Index.File(path); v.err == nil &&
			(err != nil || d != v.digest || fileKind(mode) != fileKind(v.mode)) {
			labels = append(labels, v.label)
		}
	}
	slices.SortFunc(labels, strings.Compare)
	return slices.Compact(labels)
}
