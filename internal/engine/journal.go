package engine

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"time"

	"github.com/touchstone-eval/touchstone/cache"
)

// Journal is the stored description of a run that executed stages. It is used to
// find the logs of failed stages, which have no record.
type Journal struct {
	ID        string            `json:"id"`
	Started   time.Time         `json:"started"`
	Instances []JournalInstance `json:"instances"`
}

// JournalInstance is one instance of a run.
type JournalInstance struct {
	Stage      string       `json:"stage"`
	Instance   string       `json:"instance"`
	State      State        `json:"state"`
	Key        cache.Key    `json:"key"`
	DurationMS int64        `json:"duration_ms"`
	ExitCode   int          `json:"exit_code"`
	Error      string       `json:"error,omitempty"`
	Cause      string       `json:"cause,omitempty"`
	Stdout     cache.Digest `json:"stdout"`
	Stderr     cache.Digest `json:"stderr"`
	// Failed holds the outputs of a failed instance.
	Failed FailedOutputs `json:"failed,omitzero"`
}

func (r *run) writeJournal() error {
	now := r.Now().UTC()
	j := Journal{ID: now.Format("20060102T150405.000000000") + "-" + rand.Text()[:6], Started: now}
	var kept []cache.Digest
	for _, o := range r.outcomes {
		ji := JournalInstance{
			Stage: o.Instance.Stage, Instance: o.Instance.Name(), State: o.State, Key: o.Key,
			DurationMS: o.Duration.Milliseconds(), ExitCode: o.ExitCode, Cause: o.Cause,
			Stdout: o.Stdout, Stderr: o.Stderr, Failed: o.Failed,
		}
		if o.Err != nil {
			ji.Error = o.Err.Error()
		}
		j.Instances = append(j.Instances, ji)
		for _, d := range []cache.Digest{o.Stdout, o.Stderr} {
			if !d.IsZero() {
				kept = append(kept, d)
			}
		}
		kept = append(kept, o.Failed.blobs...)
	}
	b, err := json.Marshal(j)
	if err != nil {
		return err
	}
	return r.Store.PutRun(r.Project, j.ID, b, kept...)
}

// Log is the log of one execution of an instance.
type Log struct {
	Stage, Instance string
	State           State
	Started         time.Time
	Stdout, Stderr  cache.Digest
	// Failed holds the outputs that the instance wrote before it failed.
	Failed FailedOutputs
}

// Logs returns the newest log of the named instance, or of every instance of the
// named stage. It is the log of the latest run that executed the instance, even if
// it failed.
func (e *Engine) Logs(name string) ([]Log, error) {
	runs, err := e.Store.Runs(e.Project)
	if err != nil {
		return nil, err
	}
	var logs []Log
	seen := map[string]bool{}
	for _, info := range runs {
		b, err := e.Store.Run(e.Project, info.ID)
		if err != nil {
			continue
		}
		var j Journal
		if err := json.Unmarshal(b, &j); err != nil {
			continue
		}
		for _, in := range j.Instances {
			full := in.Stage
			if in.Instance != "" {
				full += "[" + in.Instance + "]"
			}
			if (in.Stage != name && full != name) || in.Stdout.IsZero() || seen[full] {
				continue
			}
			seen[full] = true
			logs = append(logs, Log{in.Stage, in.Instance, in.State, j.Started, in.Stdout, in.Stderr, in.Failed})
		}
	}
	if len(logs) == 0 {
		return nil, fmt.Errorf("the cache has no log of %s for this pipeline; run it first", name)
	}
	return logs, nil
}
