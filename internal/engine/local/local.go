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
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/touchstone-eval/touchstone/internal/engine"
	"github.com/touchstone-eval/touchstone/internal/engine/process"
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

// Close lets go of what the sandbox holds open, if there is one.
func (e Executor) Close() error {
	if e.Sandbox == nil {
		return nil
	}
	return e.Sandbox.Close()
}

// Run starts the job's program and waits for it. When ctx ends or the
// instance's timeout passes, the whole process group is told to end and then
// killed.
func (e Executor) Run(ctx context.Context, job *engine.Job) (*engine.Result, error) {
	in := job.Instance
	cmd := process.Command{
		Needs:   process.Needs{Platform: in.Platform, MemoryMB: in.Resources.MemoryMB},
		Program: job.Program, Args: in.Command, Dir: job.Dir, TempDir: job.TempDir, Env: job.Env,
		Stdout: job.Stdout, Stderr: job.Stderr, Timeout: in.Timeout, Grace: e.Grace,
	}
	var held *confinement
	if e.Sandbox != nil {
		program := job.Program
		if !filepath.IsAbs(program) {
			program = filepath.Join(job.Dir, program)
		}
		confine := func() (err error) {
			held, err = e.Sandbox.confine(job, program)
			return err
		}
		if !e.Sandbox.off {
			cmd.Confine = confine
		} else if err := confine(); err != nil {
			return nil, err
		}
	}
	ended, err := cmd.Run(ctx)
	if err != nil {
		if held != nil {
			e.Sandbox.release(held, errors.As(err, new(*process.StartError)))
		}
		return nil, startError(err, held)
	}
	result := &engine.Result{
		ExitCode: ended.ExitCode, TimedOut: ended.TimedOut, Duration: ended.Duration, PeakMemory: ended.PeakMemory,
		Ended: ended.Nothing, Isolation: process.Isolation(),
	}
	if held != nil {
		result.Isolation = append(result.Isolation, held.words...)
		e.Sandbox.release(held, ended.Nothing)
	}
	if result.ExitCode != 0 && held != nil && slices.Contains(held.words, heldFiles) {
		if path, ok := e.Sandbox.undeclared(job.Stderr, job.Dir, held.grants); ok {
			result.Hint = "it does not declare " + path + " and was refused that; if this is why, make it an input, or use --isolation off to find out what else it needs"
		}
	}
	return result, nil
}

// startError says more of a program that was not to be executed, where what
// holds the stage may be why.
func startError(err error, held *confinement) error {
	var start *process.StartError
	if errors.As(err, &start) && errors.Is(err, syscall.EACCES) && held != nil && slices.Contains(held.words, heldFiles) {
		return fmt.Errorf("starting %s: %w; is the file executable, and is the interpreter that its first line names among the stage's inputs, in its PATH or the system's?", start.Name, start.Err)
	}
	return err
}
