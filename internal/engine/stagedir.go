package engine

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/pipeline"
)

// stageDir is the directory of one attempt: stage, in which the command runs, tmp, and the
// logs. Where the system permits it, the command finds the first two in /job, see package
// sandbox. Creating directories takes more time than anything else that the engine does for
// a short stage. A directory that certainly no process uses anymore is therefore emptied
// and reused, with the subdirectories for inputs and outputs that almost every stage has.
// The next command cannot distinguish it from a new directory.
type stageDir struct {
	path string
	// The states of the directory and of its subdirectories after their creation.
	outer, inner dirState
}

// keptDirs are the subdirectories of box that remain when it is emptied.
var keptDirs = []string{"in", "out"}

func newStageDir(parent string) (*stageDir, error) {
	dir, err := os.MkdirTemp(parent, "stage-")
	if err != nil {
		return nil, err
	}

	d := &stageDir{path: dir}
	for _, sub := range []string{d.box(), d.temp()} {
		if err := os.Mkdir(sub, 0o755); err != nil {
			return nil, err
		}
	}

	if err := d.settle(); err != nil { // the umask may have changed the modes
		return nil, err
	}

	if d.outer, err = stateOf(d.path); err != nil {
		return nil, err
	}

	d.inner, err = stateOf(d.temp())
	return d, err
}

func (d *stageDir) box() string    { return filepath.Join(d.path, "stage") }
func (d *stageDir) temp() string   { return filepath.Join(d.path, "tmp") }
func (d *stageDir) stdout() string { return filepath.Join(d.path, "stdout") }
func (d *stageDir) stderr() string { return filepath.Join(d.path, "stderr") }

// settle gives what the command finds the modes and times that it has on every machine.
func (d *stageDir) settle() error { return errors.Join(settle(d.box()), settle(d.temp())) }

// fit removes the kept subdirectories that a new box for the instance would not have.
func (d *stageDir) fit(in *pipeline.Instance) error {
	for _, name := range keptDirs {
		needed := slices.ContainsFunc(in.Outputs,
			func(o pipeline.Output) bool { return strings.HasPrefix(o.Path, name+"/") })
		for i := range in.Inputs {
			needed = needed || strings.HasPrefix(in.Inputs[i].Path, name+"/")
		}

		if needed {
			continue
		}

		if err := os.Remove(filepath.Join(d.box(), name)); err != nil && !os.IsNotExist(err) {
			return err
		}
	}

	return nil
}

// reset empties the directory and reports whether it can be reused.
func (d *stageDir) reset() bool {
	if !empty(d.path, d.outer, "stage", "tmp") || !empty(d.temp(), d.inner) || !empty(d.box(), d.inner, keptDirs...) {
		return false
	}
	for _, name := range keptDirs {
		dir := filepath.Join(d.box(), name)
		if !empty(dir, d.inner) && exists(dir) {
			return false
		}
	}
	return true
}

// empty removes everything in a directory except for the given subdirectories. It reports
// whether the directory then has the same state as after its creation.
func empty(dir string, fresh dirState, keep ...string) bool {
	f, err := os.Open(dir)
	if err != nil {
		return false
	}

	defer f.Close()
	entries, err := f.ReadDir(-1)
	if err != nil {
		return false
	}

	for _, e := range entries {
		if e.IsDir() && slices.Contains(keep, e.Name()) {
			continue
		}

		if file := filepath.Join(dir, e.Name()); os.Remove(file) != nil {
			removeTree(file)
			if exists(file) {
				return false
			}
		}
	}

	state, err := stateOfOpen(f)
	return err == nil && state == fresh
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return !os.IsNotExist(err)
}

func stateOf(dir string) (dirState, error) {
	f, err := os.Open(dir)
	if err != nil {
		return dirState{}, err
	}
	defer f.Close()
	return stateOfOpen(f)
}

// dirState is the state of a directory that does not depend on its entries.
type dirState struct {
	mode fs.FileMode
	// size differs if the directory has grown. It would then list new entries in
	// another order than a new directory.
	size  int64
	extra dirExtra
}

func stateOfOpen(f *os.File) (dirState, error) {
	st, err := f.Stat()
	if err != nil {
		return dirState{}, err
	}
	extra, err := extraOf(f)
	return dirState{mode: st.Mode(), size: st.Size(), extra: extra}, err
}
