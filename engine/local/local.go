// Package local runs a stage as a process on this machine: in the fresh
// directory that the engine prepared, in a process group of its own that does
// not outlive the stage, with the declared environment and nothing else.
//
// A Sandbox keeps it to the files and the network that it declares, where the
// system can do that. Result.Isolation says what was held and what was not, so
// that a record never claims more.
package local

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/touchstone-eval/touchstone/engine"
)

// Executor runs jobs as local processes.
type Executor struct {
	// Grace is how long a process may take to end after SIGTERM before it
	// is killed.
	Grace time.Duration
	// Sandbox holds stages to what they declare. Without one they can read
	// every file and reach every network that this process can, as is right
	// in a container, and Result.Isolation is silent about both.
	Sandbox *Sandbox
}

// Name is "local".
func (Executor) Name() string { return "local" }

// Run starts the job's program and waits for it. When ctx ends or the
// instance's timeout passes, the whole process group is told to end and then
// killed.
func (e Executor) Run(ctx context.Context, job *engine.Job) (*engine.Result, error) {
	if err := refuse(job.Instance); err != nil {
		return nil, err
	}
	stdout, err := newStream(job.Stdout)
	if err != nil {
		return nil, err
	}
	stderr, err := newStream(job.Stderr)
	if err != nil {
		return nil, errors.Join(err, stdout.end())
	}
	result, held, err := e.run(ctx, job, stdout, stderr)
	// Nothing that the stage was given is left open: what follows may use
	// its directory again.
	if logErr := errors.Join(stdout.end(), stderr.end()); err == nil && logErr != nil {
		return nil, logErr
	}
	if err == nil && result.ExitCode != 0 && held != nil && slices.Contains(held.words, heldFiles) {
		if path, ok := e.Sandbox.undeclared(job.Stderr, job.Dir, held.grants); ok {
			result.Hint = "it does not declare " + path + " and was refused that; if this is why, make it an input, or use --isolation off to find out what else it needs"
		}
	}
	return result, err
}

func (e Executor) run(ctx context.Context, job *engine.Job, stdout, stderr *stream) (*engine.Result, *confinement, error) {
	program := job.Program
	if !filepath.IsAbs(program) {
		program = filepath.Join(job.Dir, program)
	}
	cmd := &exec.Cmd{
		Path: program, Args: job.Instance.Command, Dir: job.Dir,
		Env:    append([]string{"TMPDIR=" + job.TempDir}, job.Env...),
		Stdout: stdout.w, Stderr: stderr.w,
		SysProcAttr: processGroup(),
	}
	var start time.Time
	var held *confinement
	release, err := onThread(e.Sandbox != nil && !e.Sandbox.off, func() (err error) {
		if e.Sandbox != nil {
			if held, err = e.Sandbox.confine(job, program); err != nil {
				return err
			}
		}
		start = time.Now()
		if err := starting(cmd); err != nil {
			return startError(job, err, held)
		}
		return nil
	})
	if err != nil {
		if held != nil {
			e.Sandbox.release(held, true)
		}
		return nil, nil, err
	}
	defer release()
	stdout.start()
	stderr.start()
	pid := cmd.Process.Pid
	done := make(chan struct{})
	timedOut := make(chan bool, 1)
	go func() { timedOut <- e.supervise(ctx, pid, job.Instance.Timeout, done) }()
	// What the command left running in the background dies with it.
	waitErr := waitAndKillGroup(cmd)
	close(done)
	result := &engine.Result{
		TimedOut:  <-timedOut,
		Duration:  time.Since(start),
		Isolation: []string{"fresh-directory", "declared-environment", "process-group"},
	}
	result.Ended = leftNothing(pid, job.TempDir)
	if held != nil {
		result.Isolation = append(result.Isolation, held.words...)
		e.Sandbox.release(held, result.Ended)
	}
	if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		result.PeakMemory = peakBytes(usage)
	}
	result.ExitCode = exitCode(cmd.ProcessState)
	var exit *exec.ExitError
	if waitErr != nil && !errors.As(waitErr, &exit) {
		return nil, nil, waitErr
	}
	return result, held, nil
}

// supervise ends the group when it has to and reports whether the timeout was
// why.
func (e Executor) supervise(ctx context.Context, pid int, timeout time.Duration, done <-chan struct{}) bool {
	var deadline <-chan time.Time
	if timeout > 0 {
		t := time.NewTimer(timeout)
		defer t.Stop()
		deadline = t.C
	}
	timedOut := false
	select {
	case <-done:
		return false
	case <-ctx.Done():
	case <-deadline:
		timedOut = true
	}
	killGroup(pid, syscall.SIGTERM)
	grace := time.NewTimer(e.Grace)
	defer grace.Stop()
	select {
	case <-done:
	case <-grace.C:
		killGroup(pid, syscall.SIGKILL)
	}
	return timedOut
}

// exitCode is the status as a shell would give it: 128 plus the signal for a
// process that a signal ended.
func exitCode(state *os.ProcessState) int {
	if ws, ok := state.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return 128 + int(ws.Signal())
	}
	return state.ExitCode()
}

func startError(job *engine.Job, err error, held *confinement) error {
	name := job.Instance.Command[0]
	switch {
	case errors.Is(err, syscall.EACCES) && held != nil && slices.Contains(held.words, heldFiles):
		return fmt.Errorf("starting %s: %w; is the file executable, and is the interpreter that its first line names among the stage's inputs, in its PATH or the system's?", name, err)
	case errors.Is(err, syscall.EACCES):
		return fmt.Errorf("starting %s: %w; is the file executable?", name, err)
	}
	return fmt.Errorf("starting %s: %w", name, err)
}
