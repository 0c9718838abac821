// Package local runs a stage as a process on this machine. The process runs in the
// directory that the engine prepared, with only the declared environment, in its own
// process group, which is killed when the stage ends.
//
// A Sandbox restricts the process to the files and the network that the stage
// declares, if the system supports it. Result.Isolation lists which restrictions
// were applied, so that records are accurate.
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
	// Grace is the time between SIGTERM and SIGKILL for a process that must
	// end.
	Grace time.Duration
	// Sandbox restricts stages to what they declare. Without a sandbox, they can
	// access all files and networks that this process can, which is correct
	// inside a container. Result.Isolation then mentions neither.
	Sandbox *Sandbox
}

// Name is "local".
func (Executor) Name() string { return "local" }

// Close closes the sandbox, if there is one.
func (e Executor) Close() error {
	if e.Sandbox == nil {
		return nil
	}
	return e.Sandbox.Close()
}

// Run starts the job's program and waits for it. If ctx ends or the instance reaches
// its timeout, Run sends SIGTERM to the whole process group, and then kills it.
func (e Executor) Run(ctx context.Context, job *engine.Job) (*engine.Result, error) {
	if e.Sandbox != nil {
		if result, err, ran := e.Sandbox.elsewhere(ctx, job, e.Grace); ran {
			return result, err
		}
	}
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
		confine := func() (bound bool, err error) {
			if held, err = e.Sandbox.confine(job, program); err != nil {
				return false, err
			}
			return !held.ownProcesses(), nil
		}
		if !e.Sandbox.off {
			cmd.Confine = confine
		} else if _, err := confine(); err != nil {
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
		result.Ended = e.Sandbox.release(held, ended.Nothing)
	}
	if result.ExitCode != 0 && held != nil {
		result.Hint = e.Sandbox.hint(job, held)
	}
	return result, nil
}

// startError adds a hint to the error of a program that could not be executed, if the
// sandbox may be the reason.
func startError(err error, held *confinement) error {
	var start *process.StartError
	if errors.As(err, &start) && errors.Is(err, syscall.EACCES) && held != nil && slices.Contains(held.words, heldFiles) {
		return fmt.Errorf("starting %s: %w; check that the file is executable, and that the interpreter in its first line is an input of the stage, in its PATH or in a system directory", start.Name, start.Err)
	}
	return err
}
