package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/touchstone-eval/touchstone/cache"
	"github.com/touchstone-eval/touchstone/internal/engine/reads"
	"github.com/touchstone-eval/touchstone/pipeline"
)

// StageError is the failure of one instance.
type StageError struct {
	Outcome *Outcome
	Plan    *pipeline.Plan
	// Others lists further instances that failed in the same run.
	Others []string
	// Differ reports whether the others failed for another reason than Outcome.
	Differ bool
}

func (e *StageError) Error() string {
	if len(e.Others) > 0 {
		return fmt.Sprintf("%d stages failed: %s, %s", 1+len(e.Others), e.Outcome.Instance,
			strings.Join(e.Others, ", ")) + e.common()
	}
	return fmt.Sprintf("stage %s failed: %v", e.Outcome.Instance, e.Outcome.Err)
}

// common returns the reason of all failures, if it is one. The exit status of a command is none: the reason is in the
// log of each.
func (e *StageError) common() string {
	if e.Differ || errors.As(e.Outcome.Err, new(*ExitError)) {
		return ""
	}
	return ": " + e.Outcome.Err.Error()
}

func (e *StageError) Unwrap() error { return e.Outcome.Err }

// timedOut begins the error of a command that reached its timeout.
const timedOut = "timed out"

// ExitError is the error of a command whose exit status is not 0.
type ExitError struct {
	Code     int
	TimedOut bool
	Timeout  time.Duration
	Hint     string // a possible reason, if the executor has one
}

func (e *ExitError) Error() string {
	if e.TimedOut {
		return fmt.Sprintf("%s after %s and was killed; raise its timeout if it needs longer", timedOut, e.Timeout)
	}
	status := fmt.Sprintf("exit status %d", e.Code)
	if name := signalName(e.Code - 128); name != "" {
		status += ", which is the end by signal " + name
	}
	if e.Hint != "" {
		return status + "; " + e.Hint
	}
	return status
}

// maxDisturbed is the number of attempts that recording may disturb. The next one is not recorded.
const maxDisturbed = 3

// disturbance says why an attempt is not used, and what follows.
func (o *Outcome) disturbance() string {
	why := "it handles signals, and recording what it reads may have made a call fail"
	if o.disturbed == maxDisturbed {
		return why + "; it runs again without a record, so that its key does not cover what it reads"
	}
	return why + "; it runs again"
}

// execute runs an instance that is a miss, and stores its result. If another
// process has run the same key in the meantime, it uses that result.
func (r *run) execute(ctx context.Context, o *Outcome, work *workDir) error {
	r.executed.Store(true)
	unlock, err := r.Store.LockKeySaying(ctx, o.Key, func() {
		r.emitFor(o, Event{Event: EventWaits, Key: o.Key.String()})
	})
	if err != nil {
		return fmt.Errorf("waiting for another run of the same stage: %w", err)
	}

	defer unlock()
	if !r.opts.Force && !o.Instance.Cache.Off {
		if result, miss := r.lookup(o); miss == nil {
			o.setHit(result)
			r.emitHit(o)
			return nil
		}
	}

	var expected time.Duration
	if previous := r.previous(o, cache.Key{}); previous != nil {
		expected = previous.Duration
	}

	r.emitFor(o, r.withProgress(Event{Event: EventStart, Key: o.Key.String(), Reasons: o.Reasons,
		ExpectedMS: expected.Milliseconds()}))
	for {
		o.Attempts++
		record, err := r.attempt(ctx, o, work)
		if errors.Is(err, reads.ErrDisturbed) && o.disturbed < maxDisturbed {
			o.disturbed++
			o.Attempts--
			r.emitFor(o, Event{Event: EventRetry, Attempt: o.Attempts + o.disturbed, Error: o.disturbance()})
			continue
		}

		if err == nil && r.opts.Check {
			o.Differences, err = r.runAgain(ctx, o, record, work)
		}

		if err == nil {
			return r.store(o, record)
		}

		var exit *ExitError
		if ctx.Err() != nil || !errors.As(err, &exit) || o.Attempts > o.Instance.Retries {
			return err
		}

		r.emitFor(o, Event{Event: EventRetry, Attempt: o.Attempts, ExitCode: exit.Code, Error: err.Error()})
	}
}

// store stores the record, for the next run and for explain.
func (r *run) store(o *Outcome, record *cache.Record) error {
	if !o.Instance.Cache.Off {
		if err := r.Store.PutRecord(record); err != nil {
			return err
		}

		if err := r.Store.AppendHistory(r.Project, o.Instance.Stage, o.Instance.Name(), o.Key,
			record.Started); err != nil {
			return err
		}

		if r.Shared != nil {
			r.Shared.Offer(o.Key)
		}
	}

	o.State, o.Outputs, o.Duration, o.Origin = Ran, record.Outputs, record.Duration, nil
	o.reads = record.Reads
	if i := slices.Index(r.outcomes, o); i >= 0 { // a repair has an outcome of its own
		r.progress.finish(i)
	}

	r.emitFor(o, r.withProgress(Event{Event: EventDone, Key: o.Key.String(), DurationMS: o.Duration.Milliseconds(),
		Attempt: o.Attempts}))
	return nil
}

// attempt runs the command once in an empty directory.
func (r *run) attempt(ctx context.Context, o *Outcome, work *workDir) (*cache.Record, error) {
	dir, err := work.acquire(ctx, r)
	if err != nil {
		return nil, err
	}

	ended := true // no other process has used the directory yet
	defer func() { work.release(dir, ended) }()
	in, box := o.Instance, dir.box()
	if err := dir.fit(in); err != nil {
		return nil, err
	}

	if err := r.materialize(ctx, o, box, work); err != nil {
		return nil, err
	}

	for _, out := range in.Outputs {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(box, filepath.FromSlash(out.Path))), 0o755); err != nil {
			return nil, err
		}
	}

	if err := dir.settle(); err != nil {
		return nil, err
	}

	tool, err := r.Tools.Resolve(in)
	if err != nil {
		return nil, err
	}

	env, err := r.environment(in)
	if err != nil {
		return nil, err
	}

	job := &Job{
		Instance: in, Dir: box, Inputs: o.inputs(), TempDir: dir.temp(), Program: tool.Path, ProgramDigest: tool.Digest,
		Installed: tool.Named, Record: o.disturbed < maxDisturbed, Covered: tool.Covered, Env: env,
		Stdout: dir.stdout(), Stderr: dir.stderr(),
		Waits: func(waits bool) {
			kind := EventBegun
			if waits {
				kind = EventQueued
			}

			r.emitFor(o, Event{Event: kind, Attempt: o.Attempts})
		},
	}
	weight := min(max(1, int64(in.Resources.CPUs)), int64(r.Jobs))
	if _, ok := r.Executor.(remoteRunner); ok {
		weight = 1
	}

	if err := r.cpus.Acquire(ctx, weight); err != nil {
		return nil, err
	}

	started := r.Now()
	work.note(r.Project, in, started)
	ended = false
	result, runErr := r.Executor.Run(ctx, job)
	ended = runErr == nil && result.Ended
	r.cpus.Release(weight)
	if runErr == nil && in.Stdout != "" {
		if err := takeStdout(in, box, job.Stdout); err != nil {
			return nil, err
		}
	}

	if err := r.keepLogs(o, job); err != nil {
		return nil, err
	}

	if runErr != nil {
		return nil, r.fullForStreams(runErr, job)
	}

	o.ExitCode, o.Duration = result.ExitCode, result.Duration
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}

	if c, ok := r.Tools.(toolChecker); ok {
		if err := c.Check(tool); err != nil {
			return nil, err
		}
	}

	if result.TimedOut || result.ExitCode != 0 {
		o.Failed = r.keepFailed(in, box)
		return nil, &ExitError{Code: result.ExitCode, TimedOut: result.TimedOut, Timeout: in.Timeout,
			Hint: r.hidden.Text(cmp.Or(result.Hint, notFound(in, result.ExitCode)))}
	}

	outputs, err := r.collect(in, box)
	if err != nil {
		o.Failed = r.keepFailed(in, box)
		return nil, err
	}

	o.Failed = FailedOutputs{} // from an earlier attempt
	record := &cache.Record{
		Key: o.Key, Stage: in.Stage, Instance: in.Name(), Outputs: outputs,
		Stdout: o.Stdout, Stderr: o.Stderr,
		Started: started.UTC(), Duration: result.Duration, PeakMemory: result.PeakMemory,
		Attempts: o.Attempts, Executor: r.Executor.Name(), Isolation: result.Isolation,
	}
	if err := r.keepReads(o, record, result); err != nil {
		return nil, err
	}

	if in.Cache.TTL > 0 {
		record.Expires = started.Add(in.Cache.TTL).UTC()
	}

	for _, c := range o.components {
		c.Value = r.hidden.Text(c.Value)
		record.Components = append(record.Components, cache.Component(c))
	}

	return record, nil
}

// fullForStreams adds the remedy for a full disk to the error of writing what a command printed. Other errors of the
// executor keep their text: the kernel says "no space left on device" also when there are too many namespaces.
func (r *run) fullForStreams(err error, job *Job) error {
	var file *fs.PathError
	if errors.As(err, &file) && (file.Path == job.Stdout || file.Path == job.Stderr) {
		return r.fullDisk(err)
	}
	return err
}

// takeStdout makes the standard output of a command the output that the instance declares for it.
func takeStdout(in *pipeline.Instance, box, stdout string) error {
	file := filepath.Join(box, filepath.FromSlash(in.Stdout))
	if err := insideBox(box, file); err != nil {
		return err
	}

	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}

	if exists(file) {
		return fmt.Errorf("%s is the standard output of the stage, and its command wrote another file there; "+
			"remove one of the two", in.Stdout)
	}

	// The file of an empty stream need not exist.
	if f, err := os.OpenFile(stdout, os.O_CREATE|os.O_WRONLY, 0o600); err != nil {
		return err
	} else if err := errors.Join(f.Chmod(0o644), f.Close(), os.Rename(stdout, file)); err != nil {
		return err
	}

	return nil
}

// defaultLocale is that of a stage that sets none.
const defaultLocale = "C.UTF-8"

// environment returns the complete environment of the command: constant variables,
// the variables that the stage declares, and the variables of this process that the
// stage passes through. The values of its secrets are removed from all text from then on.
func (r *run) environment(in *pipeline.Instance) (list []string, err error) {
	env := map[string]string{
		"PATH": DefaultPath, "HOME": "/nonexistent", "LANG": defaultLocale, "TZ": "UTC",
		"SOURCE_DATE_EPOCH": strconv.FormatInt(InputTime.Unix(), 10),
	}
	for _, name := range in.Passthrough {
		if v, ok := r.LookupEnv(name); ok {
			env[name] = v
		}
	}

	for _, v := range in.Env {
		env[v.Name] = v.Value
	}

	for _, s := range in.Secrets {
		v, err := r.Secret(r.plan.Root, s)
		if err != nil {
			return nil, fmt.Errorf("secret %s: %w", s.Name, err)
		}

		env[s.Name] = v
		r.hidden.Add(v)
	}

	// LC_ALL would override a locale that the stage sets.
	locale := env["LANG"] != defaultLocale
	for name := range env {
		locale = locale || strings.HasPrefix(name, "LC_")
	}

	if !locale {
		env["LC_ALL"] = defaultLocale
	}

	list = make([]string, 0, len(env))
	for name, v := range env {
		list = append(list, name+"="+v)
	}

	return list, nil
}

// keepLogs stores what the command printed, without the values of its secrets.
func (r *run) keepLogs(o *Outcome, job *Job) error {
	for _, log := range []struct {
		path string
		to   *cache.Digest
	}{{job.Stdout, &o.Stdout}, {job.Stderr, &o.Stderr}} {
		if err := redactLog(log.path, r.hidden); err != nil {
			return fmt.Errorf("keeping the log of %s: %w", o.Instance, err)
		}

		d, _, err := r.Store.PutFile(log.path)
		if errors.Is(err, fs.ErrNotExist) {
			d, err = r.Store.PutBytes(nil)
		}

		if err != nil {
			return fmt.Errorf("keeping the log of %s: %w", o.Instance, err)
		}

		*log.to = d
	}

	return nil
}

// removeTree removes a stage's directory, even if the stage removed its own write
// permissions.
func removeTree(dir string) {
	if os.RemoveAll(dir) == nil {
		return
	}
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			_ = os.Chmod(path, 0o700)
		}
		return nil
	})
	_ = os.RemoveAll(dir)
}
