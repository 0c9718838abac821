package engine

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"iter"
	"strings"
	"time"

	"github.com/touchstone-eval/touchstone/cache"
)

// Journal is the stored description of a run that executed stages. It is used to
// find the logs of failed and interrupted stages, which have no record.
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

// fullName is the name of the instance in messages and on the command line.
func (in *JournalInstance) fullName() string {
	if in.Instance == "" {
		return in.Stage
	}
	return in.Stage + "[" + in.Instance + "]"
}

// journals returns the readable journals of the project that contain a text, newest first.
func (e *Engine) journals(with string) (iter.Seq[*Journal], error) {
	runs, err := e.Store.Runs(e.Project)
	if err != nil {
		return nil, err
	}

	return func(yield func(*Journal) bool) {
		for _, info := range runs {
			b, err := e.Store.Run(e.Project, info.ID)
			if err != nil || !bytes.Contains(b, []byte(with)) {
				continue
			}

			var j Journal
			if json.Unmarshal(b, &j) == nil && !yield(&j) {
				return
			}
		}
	}, nil
}

// readFailures returns the newest failure of each instance in the journals, by its full name.
func (r *run) readFailures() map[string]JournalInstance {
	last := map[string]JournalInstance{}
	journals, err := r.journals(`"` + string(Failed) + `"`) // the others need not be decoded
	if err != nil {
		return last // reasons are only shorter without it
	}

	for j := range journals {
		for _, in := range j.Instances {
			if _, known := last[in.fullName()]; !known && in.State == Failed {
				last[in.fullName()] = in
			}
		}
	}

	return last
}

// failedEarlier says that an instance without a result failed, or returns "". same reports
// whether it failed with the same key.
func (r *run) failedEarlier(o *Outcome) (reason string, same bool) {
	last, ok := r.failures()[o.Instance.String()]
	if !ok || r.inHistory(o) {
		return "", false
	}

	if last.Key != o.Key {
		return fmt.Sprintf("failed in its last run (%s), which had another key", last.why()), false
	}

	return fmt.Sprintf("failed in its last run (%s)", last.why()), true
}

// why says in a few words why the instance failed, or returns "" if it did not.
func (in *JournalInstance) why() string {
	if in.State != Failed {
		return ""
	}

	why := firstLine(in.Error)
	switch {
	case strings.HasPrefix(why, timedOut):
		why, _, _ = strings.Cut(why, ";") // what follows is advice
	case in.ExitCode != 0:
		why = fmt.Sprintf("exit status %d", in.ExitCode)
	}
	return why
}

// firstLine returns the first line of a text.
func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}
