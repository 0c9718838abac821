package engine

import (
	"crypto/rand"
	"encoding/json"
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
