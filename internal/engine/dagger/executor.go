// Package dagger runs a stage in a container of a Dagger engine. By default, the
// container has an empty root filesystem with one static touchstone binary. The
// declared inputs are mounted read-only at the same paths as in local runs. There
// is no network unless the stage declares one.
//
// The Dagger engine only executes. Package cache decides what is stored and what
// is a hit, as it does for the local executor, so that both executors share
// results. Every execution has a unique mark, so that the Dagger engine never
// answers from its own cache, which also contains failures.
//
// reach.go finds the engine, session.go connects to it, recipe.go describes the
// container, and handover.go uploads what the container is built from. Package inside
// runs in the container.
package dagger

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	sdk "dagger.io/dagger"

	"github.com/touchstone-eval/touchstone/internal/base/lazyregexp"
	"github.com/touchstone-eval/touchstone/internal/engine"
	"github.com/touchstone-eval/touchstone/internal/engine/dagger/inside"
	"github.com/touchstone-eval/touchstone/internal/engine/image"
	"github.com/touchstone-eval/touchstone/pipeline"
)

// Executor runs jobs in containers. The zero value uses the running program
// as the binary and has no image for other programs.
type Executor struct {
	image.Images
	// Binary is a static touchstone binary for the engine's platform;
	// empty for the running program.
	Binary string
	// Identify returns the identity of touchstone for an instance. A Binary
	// with another identity is an error.
	Identify func(*pipeline.Instance) (string, error)
	// Grace is the time between SIGTERM and SIGKILL for a process that must
	// end.
	Grace time.Duration

	mu     sync.Mutex
	client *sdk.Client
	roots  map[string]*sdk.Directory // directory images, by path
	handed map[handedKey]*uploaded
}

// Name is "dagger".
func (*Executor) Name() string { return "dagger" }

// closeTimeout limits the time to close a session. If the engine has died, the
// dagger program would try for minutes to send its trace.
const closeTimeout = 5 * time.Second

// Close ends the session with the engine, if there is one.
func (e *Executor) Close() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.client == nil {
		return nil
	}

	client := e.client
	e.client = nil
	closed := make(chan error, 1)
	go func() { closed <- client.Close() }()
	select {
	case err := <-closed:
		return err
	case <-time.After(closeTimeout):
		if file, err := cli(); err == nil {
			reap(file)
		}

		return errors.New("the Dagger engine did not end the session within the time limit; the session was abandoned")
	}
}

// Run builds and runs the job's container, and copies its outputs and logs back.
// The first job starts the session.
func (e *Executor) Run(ctx context.Context, job *engine.Job) (*engine.Result, error) {
	root, err := e.Images.Of(job.Instance)
	if err != nil {
		return nil, err
	}

	client, err := e.connect(ctx)
	if err != nil {
		return nil, err
	}

	binary, err := image.OwnFile(e.Binary)
	if err != nil {
		return nil, err
	}

	o := newJob(job, root, e.Grace)
	if e.Binary != "" && job.Instance.Command[0] == image.OwnProgram {
		if o.Identity, err = e.Identify(job.Instance); err != nil {
			return nil, err
		}
	}

	if err := job.TextOnly(); err != nil {
		return nil, err
	}

	text, err := json.Marshal(o)
	if err != nil {
		return nil, err
	}

	ctx = untraced(ctx)
	build, err := e.uploadContext(ctx, client, job, root, binary)
	if err != nil {
		return nil, err
	}

	// touchstone is the first process of the container. When it ends, the
	// container ends with all remaining processes of the stage.
	mark := rand.Text()
	opts := sdk.DirectoryDockerBuildOpts{
		Platform: sdk.Platform(job.Instance.Platform), NoInit: true,
		BuildArgs: []sdk.BuildArg{{Name: markArgument, Value: mark}},
		Secrets:   []*sdk.Secret{client.SetSecret(jobSecret+mark, string(text))},
	}
	taken := filepath.Join(job.TempDir, "taken")
	if _, err := build.DockerBuild(opts).Directory(inside.Root).Export(ctx, taken); err != nil {
		return nil, notRun(ctx, job, err)
	}

	return moveResults(job, taken, root)
}

// notRun returns the error for a job that the engine could not run.
func notRun(ctx context.Context, job *engine.Job, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	err = shortened(err)
	return fmt.Errorf("the Dagger engine could not run %s: %w; finished stages are kept, %s", job.Instance, err,
		remedy(err))
}

// moveResults moves outputs and logs to the paths in the job.
func moveResults(job *engine.Job, taken string, root image.Root) (*engine.Result, error) {
	b, err := os.ReadFile(filepath.Join(taken, inside.Result, inside.ResultFile))
	if err != nil {
		return nil, fmt.Errorf("the container of %s ended without a result: %w", job.Instance, err)
	}

	var r inside.Report
	if err := json.Unmarshal(b, &r); err != nil {
		return nil, fmt.Errorf("the result of the container of %s: %w", job.Instance, err)
	}

	for name, to := range map[string]string{"stdout": job.Stdout, "stderr": job.Stderr} {
		err := os.Rename(filepath.Join(taken, inside.Result, name), to)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}

	if r.Error != "" {
		return nil, errors.New(r.Error)
	}

	box := filepath.Join(taken, inside.StageDir)
	entries, err := os.ReadDir(box)
	if err != nil {
		return nil, err
	}

	for _, entry := range entries {
		if entry.Name() == inputRoot {
			continue
		}

		to := filepath.Join(job.Dir, entry.Name())
		if err := os.RemoveAll(to); err != nil {
			return nil, err
		}

		if err := os.Rename(filepath.Join(box, entry.Name()), to); err != nil {
			return nil, err
		}
	}

	return &engine.Result{
		ExitCode: r.ExitCode, TimedOut: r.TimedOut, Duration: r.Duration, PeakMemory: r.PeakMemory,
		Isolation: isolation(job.Instance, root, r.Isolation),
	}, nil
}

// remedy returns what the user can do if the engine could not run a stage.
func remedy(err error) string {
	if strings.Contains(err.Error(), syscall.ENOSPC.Error()) {
		return "free space on the engine's disk (for example with dagger core engine local-cache prune) and run again"
	}
	return "run again to continue"
}

// ansi matches the colours in the progress of the dagger program.
var ansi = lazyregexp.New("\x1b\\[[0-9;]*m")

// message matches the message of a refused request in the JSON of the answer.
var message = lazyregexp.New(`"message":("(?:[^"\\]|\\.)*")`)

// shortened returns an error of the dagger program or the engine in one line: the
// last line if the error contains the whole progress, and without trace ids.
func shortened(err error) error {
	text := ansi().ReplaceAllString(strings.TrimSpace(err.Error()), "")
	if i := strings.LastIndex(text, "\nError: "); i >= 0 {
		text = text[i+len("\nError: "):]
	}

	if m := message().FindStringSubmatch(text); m != nil {
		if said, err := strconv.Unquote(m[1]); err == nil {
			text = said
		}
	}

	text, _, _ = strings.Cut(text, "\n")
	text, _, _ = strings.Cut(text, " [traceparent:")
	return errors.New(text)
}
