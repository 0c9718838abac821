package engine

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/touchstone-eval/touchstone/cache"
	"github.com/touchstone-eval/touchstone/pipeline"
)

// Log is the log of one execution of an instance.
type Log struct {
	Stage, Instance string
	// State is the state in the local run. It is Hit if another machine made the result.
	State          State
	Key            cache.Key
	Started        time.Time
	Stdout, Stderr cache.Digest
	// Error says in a few words why the instance failed. It is empty if it did not.
	Error string
	// NotStarted is why a later run could not start the instance, or empty.
	NotStarted string
	// Killed is when a later run started the instance that was killed and has no log, or zero.
	Killed time.Time
	// Failed holds the outputs that the instance wrote before it failed.
	Failed FailedOutputs
	// Origin says where a hit comes from. It is nil if this machine made it.
	Origin *cache.Origin
}

// Logs returns the newest log of the named instance, or of every instance of the
// named stage. It is the log of the latest run that executed the instance, even if
// it failed. If none did, or if a result has come from elsewhere since then, it is the log of the current result.
func (e *Engine) Logs(ctx context.Context, plan *pipeline.Plan, name string) ([]Log, error) {
	logs, err := e.journaled(name)
	if err != nil {
		return nil, err
	}

	which, _ := Find(plan, name) // an instance that ran may be gone
	found, err := e.resultLogs(ctx, plan, which, logs)
	if err != nil {
		return nil, err
	}

	for _, l := range found {
		same := func(other Log) bool { return other.Stage == l.Stage && other.Instance == l.Instance }
		if i := slices.IndexFunc(logs, same); i >= 0 {
			logs[i] = l
		} else {
			logs = append(logs, l)
		}
	}

	killed := e.killed()
	if len(logs) == 0 {
		return nil, e.noLog(name, killed)
	}

	for i := range logs {
		in := JournalInstance{Stage: logs[i].Stage, Instance: logs[i].Instance}
		if at := killed[in.fullName()]; at.After(logs[i].Started) {
			logs[i].Killed = at
		}
	}

	return logs, nil
}

// noLog returns the reason why there is no log of a stage or instance.
func (e *Engine) noLog(name string, killed map[string]time.Time) error {
	var last time.Time
	for instance, at := range killed {
		if stage, _, _ := pipeline.CutInstance(instance); (instance == name || stage == name) && at.After(last) {
			last = at
		}
	}

	if !last.IsZero() {
		return fmt.Errorf("the run that started %s at %s was killed, so there is no log; run it again", name,
			last.Format(time.DateTime))
	}

	journals, err := e.journals("")
	if err != nil {
		return err
	}

	newest := true
	for j := range journals {
		for _, in := range j.Instances {
			switch {
			case in.Stage != name && in.fullName() != name:
			case in.State == Failed: // before its command ran, or there was a log
				return fmt.Errorf("%s has no log, because it could not be started: %s", in.fullName(), in.Error)
			case newest && in.State == Skipped && in.Cause != "":
				return fmt.Errorf("%s did not run: %s failed", name, in.Cause)
			}
		}

		newest = false
	}

	return fmt.Errorf("the cache has no log of %s for this pipeline; run it first", name)
}

// journaled returns the newest log of each instance with a name that was executed here.
func (e *Engine) journaled(name string) ([]Log, error) {
	journals, err := e.journals("")
	if err != nil {
		return nil, err
	}

	var logs []Log
	seen := map[string]bool{}
	notStarted := map[string]string{}
	for j := range journals {
		for _, in := range j.Instances {
			full := in.fullName()
			if in.Stdout.IsZero() && in.State == Failed && notStarted[full] == "" {
				notStarted[full] = in.Error
			}

			if (in.Stage != name && full != name) || in.Stdout.IsZero() || seen[full] {
				continue
			}

			seen[full] = true
			logs = append(logs, Log{
				Stage: in.Stage, Instance: in.Instance, State: in.State, Key: in.Key, Started: j.Started,
				Stdout: in.Stdout, Stderr: in.Stderr, Error: in.why(), Failed: in.Failed,
				NotStarted: notStarted[full],
			})
		}
	}

	return logs, nil
}

// resultLogs returns the logs of current results that are newer than those of executions here.
func (e *Engine) resultLogs(ctx context.Context, plan *pipeline.Plan, which []int, executed []Log) ([]Log, error) {
	here := map[string]*Log{}
	for i := range executed {
		here[executed[i].Stage+"["+executed[i].Instance+"]"] = &executed[i]
	}

	of := func(in *pipeline.Instance) *Log { return here[in.Stage+"["+in.Name()+"]"] }
	how := evaluation{demanded: make([]bool, len(plan.Instances)), only: true, localOnly: true}
	for _, i := range which {
		how.demanded[i] = true
		how.localOnly = how.localOnly && of(plan.Instances[i]) != nil
	}

	needed(plan, how.demanded, false)
	outcomes, err := e.evaluateWith(ctx, plan, how)
	if err != nil && ctx.Err() != nil {
		return nil, err // an instance without a key has no result
	}

	var logs []Log
	for _, i := range which {
		o := outcomes[i]
		if o.State != Hit {
			continue
		}

		if l := of(o.Instance); l != nil &&
			(l.Key == o.Key || o.Origin == nil || o.Origin.At.Before(l.Started.Truncate(time.Second))) {
			continue
		}

		record, err := e.Store.Record(o.Key)
		if err != nil || record.Stdout.IsZero() {
			continue
		}

		logs = append(logs, Log{
			Stage: o.Instance.Stage, Instance: o.Instance.Name(), State: Hit, Key: o.Key, Started: record.Started,
			Stdout: record.Stdout, Stderr: record.Stderr, Origin: o.Origin,
		})
	}

	return logs, nil
}
