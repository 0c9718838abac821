// Package workers runs stages on the workers of a server of the Remote Execution API v2, such as
// Buildbarn. An instance becomes an action: its inputs and touchstone itself are the files of the action,
// and touchstone is its command. On the worker it reads its job and runs the stage as the local executor
// does (package onworker), with the same sandbox as far as the worker allows it.
//
// The server only executes. Package cache decides what is stored and what is a hit, as it does for the
// other executors, so that all share results. Package internal/engine/remote speaks the protocol.
package workers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/touchstone-eval/touchstone/cache"
	"github.com/touchstone-eval/touchstone/internal/engine"
	"github.com/touchstone-eval/touchstone/internal/engine/image"
	"github.com/touchstone-eval/touchstone/internal/engine/remote"
	"github.com/touchstone-eval/touchstone/internal/engine/sandbox"
	"github.com/touchstone-eval/touchstone/internal/engine/workers/onworker"
	"github.com/touchstone-eval/touchstone/pipeline"
)

// Executor runs jobs on workers.
type Executor struct {
	image.Images
	Settings remote.Settings
	// Properties select workers. See properties.
	Properties map[string]string
	// Binary is a static touchstone binary for the workers' platform; empty for the running program.
	Binary string
	// Identify returns the identity of touchstone for an instance. A Binary with another identity is
	// an error.
	Identify func(*pipeline.Instance) (string, error)
	// Grace is the time between SIGTERM and SIGKILL for a process that must end.
	Grace time.Duration
	// Open means that the worker does not restrict stages to what they declare.
	Open bool

	mu      sync.Mutex
	workers *remote.Workers
	uploads map[cache.Digest]*upload
}

// upload is the program, or the inputs of jobs. Jobs with the same inputs share it, so that they are read
// and uploaded once and not for each instance of a matrix.
type upload struct {
	mu   sync.Mutex
	at   cache.SizedDigest
	done bool
}

// maxUploads is the number of uploads that are remembered. Forgetting one costs reading it again.
const maxUploads = 10_000

// Name is "remote".
func (*Executor) Name() string { return "remote" }

// RunsRemotely means that jobs use no processors of this machine. The server shares those of its workers.
func (*Executor) RunsRemotely() {}

// Prepare connects to the server: it ends a run before its first execution if the server does not
// execute.
func (e *Executor) Prepare(ctx context.Context) error {
	w, err := e.open(ctx)
	if err != nil {
		return err
	}
	return w.Connect(ctx)
}

func (e *Executor) open(ctx context.Context) (*remote.Workers, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.workers == nil {
		w, err := remote.OpenWorkers(ctx, e.Settings)
		if err != nil {
			return nil, err
		}
		e.workers = w
	}
	return e.workers, nil
}

// Close ends the connection with the server, if there is one.
func (e *Executor) Close() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.workers != nil {
		e.workers.Close()
		e.workers = nil
	}
	return nil
}

// Run runs the job as an action, and fetches its outputs and logs.
func (e *Executor) Run(ctx context.Context, job *engine.Job) (*engine.Result, error) {
	in := job.Instance
	root, err := e.accept(in)
	if err != nil {
		return nil, err
	}

	if err := e.Prepare(ctx); err != nil {
		return nil, err
	}

	o, err := e.jobFor(job, root)
	if err != nil {
		return nil, err
	}

	if err := job.TextOnly(); err != nil {
		return nil, err
	}

	text, err := json.Marshal(o)
	if err != nil {
		return nil, err
	}

	env := maps.Clone(onworker.Supervisor)
	if len(text) < onworker.LongJob {
		env[onworker.JobVariable], text = string(text), nil
	}

	a := &remote.Action{
		Stage: in.Stage, Instance: in.String(), Command: []string{"./" + onworker.ProgramFile, onworker.Verb}, Env: env,
		Report:  onworker.ReportFile,
		Outputs: outputs(in), Properties: properties(e.Properties, in, root),
	}
	if in.Timeout > 0 {
		a.Timeout = in.Timeout + e.Grace + time.Minute // touchstone on the worker ends it earlier
	}

	prepare := func(ctx context.Context, again bool) (rest []remote.Blob, err error) {
		a.Inputs, rest, err = e.inputs(ctx, job, text, again)
		return rest, err
	}
	wait := waiting(job)
	defer wait(remote.Executing)
	taken := filepath.Join(job.TempDir, "taken")
	ended, err := e.workers.Run(ctx, a, taken, prepare, wait)
	if err != nil {
		return nil, err
	}

	return moveResults(job, taken, root, ended)
}

// accept returns an error for an instance that workers must not see.
func (e *Executor) accept(in *pipeline.Instance) (image.Root, error) {
	const instead = "run it with --executor local"
	switch {
	case len(in.Secrets) > 0:
		return image.Root{}, fmt.Errorf("it has the secret %s, which the server and its workers would see and keep; %s",
			in.Secrets[0].Name, instead)
	case in.Sensitive:
		return image.Root{}, fmt.Errorf("its command or its env holds the value of a sensitive variable, which the "+
			"server and its workers would see and keep; %s", instead)
	}

	root, err := e.Images.Of(in)
	if err == nil && root.Dir != "" {
		err = fmt.Errorf("its image is the directory %s of this machine, which workers do not have; name an image "+
			"of a registry, or %s", root.Dir, instead)
	}

	return root, err
}

// jobFor returns the job of the program on the worker.
func (e *Executor) jobFor(job *engine.Job, root image.Root) (*onworker.Job, error) {
	in := job.Instance
	o := &onworker.Job{
		Stage: in.String(), Command: in.Command, Stdin: in.Stdin, Passthrough: in.Passthrough,
		Timeout: in.Timeout, Grace: e.Grace, Network: sandbox.Network(in.Network), Platform: in.Platform,
		MemoryMB: in.Resources.MemoryMB, Open: e.Open, Time: engine.InputTime.Unix(),
	}
	for _, v := range slices.Sorted(slices.Values(job.Env)) {
		// What the stage gets of the machine that it runs on is the worker's.
		if name, _, _ := strings.Cut(v, "="); !slices.Contains(in.Passthrough, name) {
			o.Env = append(o.Env, v)
		}
	}

	for _, out := range in.Outputs {
		o.Parents = append(o.Parents, path.Dir(strings.TrimSuffix(out.Path, "/")))
	}

	switch {
	case in.Command[0] == image.OwnProgram:
		if e.Binary != "" {
			var err error
			if o.Identity, err = e.Identify(in); err != nil {
				return nil, err
			}
		}
	case root.None() && filepath.IsAbs(job.Program):
		o.Program, o.Digest = job.Program, job.ProgramDigest.String()
	default:
		o.Program = job.Program
	}

	return o, nil
}

// outputs lists the paths that are taken back: the logs, the report, and everything in the directories
// of the outputs, for the message about an output that is missing.
func outputs(in *pipeline.Instance) []string {
	list := []string{onworker.ReportFile, onworker.StdoutFile, onworker.StderrFile}
	for _, out := range in.Outputs {
		p := strings.TrimSuffix(out.Path, "/")
		if top, _, inside := strings.Cut(p, "/"); inside && top != onworker.InputDir {
			p = top
		}
		if p = path.Join(onworker.StageDir, p); !slices.Contains(list, p) {
			list = append(list, p)
		}
	}
	return list
}

// inputs returns the directory of the action, whose shared parts are uploaded, and the rest of its blobs. text is
// only in the directory if it is long.
func (e *Executor) inputs(ctx context.Context, job *engine.Job, text []byte, again bool) (root cache.SizedDigest,
	rest []remote.Blob, err error) {
	program, err := e.shared(ctx, cache.Digest{}, again, func() (remote.Blob, []remote.Blob, error) {
		file, err := image.OwnFile(e.Binary)
		if err != nil {
			return remote.Blob{}, nil, err
		}

		b, err := remote.FileBlob(file)
		return b, []remote.Blob{b}, err
	})
	if err != nil {
		return root, nil, err
	}

	members := []remote.Member{{Name: onworker.ProgramFile, Content: program, Executable: true}}
	if len(text) > 0 {
		long := remote.BytesBlob(text)
		members = append(members, remote.Member{Name: onworker.JobFile, Content: long.SizedDigest})
		rest = append(rest, long)
	}

	from := filepath.Join(job.Dir, onworker.InputDir)
	if _, err := os.Lstat(from); len(job.Instance.Inputs) > 0 && err == nil {
		files, err := e.shared(ctx, job.Inputs, again,
			func() (remote.Blob, []remote.Blob, error) { return remote.ReadDirectory(from) })
		if err != nil {
			return root, nil, err
		}

		stage := remote.Directory(remote.Member{Name: onworker.InputDir, Content: files, Dir: true})
		members = append(members, remote.Member{Name: onworker.StageDir, Content: stage.SizedDigest, Dir: true})
		rest = append(rest, stage)
	}

	top := remote.Directory(members...)
	rest = append(rest, top)
	if len(text) > 0 {
		return top.SizedDigest, rest, nil
	}

	// It is that of all instances with these inputs.
	root, err = e.shared(ctx, top.Digest, again, func() (remote.Blob, []remote.Blob, error) { return top, rest, nil })
	return root, nil, err
}

// shared uploads what several jobs have in common, unless that was done. again means that the server has
// lost something.
func (e *Executor) shared(ctx context.Context, key cache.Digest, again bool,
	read func() (remote.Blob, []remote.Blob, error)) (cache.SizedDigest, error) {
	e.mu.Lock()
	u := e.uploads[key]
	if u == nil {
		if e.uploads == nil || len(e.uploads) >= maxUploads {
			e.uploads = map[cache.Digest]*upload{}
		}

		u = &upload{}
		e.uploads[key] = u
	}

	e.mu.Unlock()
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.done && !again {
		return u.at, nil
	}

	top, all, err := read()
	if err != nil {
		return u.at, remote.Local(err)
	}

	if err := e.workers.Upload(ctx, all); err != nil {
		return u.at, err
	}

	u.at, u.done = top.SizedDigest, true
	return u.at, nil
}

// waiting returns a function for the phases of a job, which tells when it begins and ends to wait for a
// worker.
func waiting(job *engine.Job) func(remote.Phase) {
	waits := false
	return func(p remote.Phase) {
		if now := p == remote.Queued; now != waits && job.Waits != nil {
			waits = now
			job.Waits(now)
		}
	}
}

// moveResults moves outputs and logs to the paths in the job.
func moveResults(job *engine.Job, taken string, root image.Root, ended *remote.Ended) (*engine.Result, error) {
	b, err := os.ReadFile(filepath.Join(taken, onworker.ReportFile))
	if err != nil {
		return nil, fmt.Errorf("the worker %s ended %s without a report: %w", ended.Worker, job.Instance, err)
	}

	var r onworker.Report
	if err := json.Unmarshal(b, &r); err != nil {
		return nil, fmt.Errorf("the report of %s by the worker %s: %w", job.Instance, ended.Worker, err)
	}

	for name, to := range map[string]string{onworker.StdoutFile: job.Stdout, onworker.StderrFile: job.Stderr} {
		if err := os.Rename(filepath.Join(taken, name), to); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}

	if r.Error != "" {
		return nil, errors.New(r.Error)
	}

	for _, p := range outputs(job.Instance) {
		name, ok := strings.CutPrefix(p, onworker.StageDir+"/")
		if !ok {
			continue
		}

		to := filepath.Join(job.Dir, filepath.FromSlash(name))
		if err := os.RemoveAll(to); err != nil {
			return nil, err
		}

		if err := os.Rename(filepath.Join(taken, filepath.FromSlash(p)), to); err != nil &&
			!errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}

	r.Isolation = append([]string{"worker"}, r.Isolation...)
	if root.Ref != "" {
		r.Isolation = append(r.Isolation, "image")
	}

	// No process of the stage was ever on this machine.
	r.Ended = true
	return (*engine.Result)(&r.Result), nil
}
