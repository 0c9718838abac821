package engine

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"github.com/touchstone-eval/touchstone/pipeline"
)

// A run that is killed writes no journal. What it has started is in its directory, until the next run that executes
// a stage removes it.

// startedFile is the name of the file in the directory of a run that lists what the run has started.
const startedFile = "started"

// startedInstance is a line of that file.
type startedInstance struct {
	Project  string    `json:"project"`
	Instance string    `json:"instance"`
	At       time.Time `json:"at"`
}

// note lists an instance that starts. If that fails, only a message about a killed run is missing.
func (w *workDir) note(project string, in *pipeline.Instance, at time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.started == nil {
		w.started, _ = os.OpenFile(filepath.Join(w.dir, startedFile), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	}
	_ = json.NewEncoder(w.started).Encode(startedInstance{project, in.String(), at.UTC()})
}

// killed returns when runs that were killed last started instances of the project, by their full names.
func (e *Engine) killed() map[string]time.Time {
	last := map[string]time.Time{}
	lists, _ := filepath.Glob(filepath.Join(e.WorkDir, "run-*", startedFile))
	for _, list := range lists {
		f, err := os.Open(list)
		if err != nil {
			continue
		}

		if abandoned(filepath.Dir(list)) {
			lines := json.NewDecoder(f)
			for {
				var s startedInstance
				if lines.Decode(&s) != nil {
					break // the end, or a line that was not written in full
				}

				if s.Project == e.Project && s.At.After(last[s.Instance]) {
					last[s.Instance] = s.At
				}
			}
		}

		f.Close()
	}
	return last
}

// abandoned reports whether the run whose directory this is has ended.
func abandoned(dir string) bool {
	file := filepath.Join(dir, workLock)
	if _, err := os.Lstat(file); errors.Is(err, fs.ErrNotExist) {
		return false // the run is just removing it
	}
	lock := flock.New(file)
	free, err := lock.TryLock()
	_ = lock.Close()
	return err == nil && free
}
