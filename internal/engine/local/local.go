// Package local runs a stage as a process on this machine. The process runs in the
// directory that the engine prepared, with only the declared environment, in its own
// process group, which is killed when the stage ends.
//
// Package sandbox restricts the process to the files and the network that the stage
// declares, if the system supports it. Result.Isolation lists which restrictions
// were applied, so that records are accurate.
package local

import (
	"context"
	"time"

	"github.com/touchstone-eval/touchstone/internal/engine"
	"github.com/touchstone-eval/touchstone/internal/engine/process"
	"github.com/touchstone-eval/touchstone/internal/engine/sandbox"
)

// Executor runs jobs as local processes.
type Executor struct {
	// Grace is the time between SIGTERM and SIGKILL for a process that must
	// end.
	Grace time.Duration
	// Sandbox restricts stages to what they declare. Without a sandbox, they can
	// access all files and networks that this process can, which is correct
	// inside a container. Result.Isolation then mentions neither.
	Sandbox *sandbox.Sandbox
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

// Records reports whether the executor can record what a command reads.
func (e Executor) Records() bool { return e.Sandbox.Records() }

// IsolationOff reports whether the user chose not to restrict stages.
func (e Executor) IsolationOff() bool { return e.Sandbox != nil && e.Sandbox.Off() }

// Run starts the job's program and waits for it. If ctx ends or the instance reaches
// its timeout, Run sends SIGTERM to the whole process group, and then kills it.
func (e Executor) Run(ctx context.Context, job *engine.Job) (*engine.Result, error) {
	process.CloseInherited() // before the sandbox starts processes
	in := job.Instance
	result, err := e.Sandbox.Run(ctx, &sandbox.Job{
		Command: process.Command{
			Needs:   process.Needs{Platform: in.Platform, MemoryMB: in.Resources.MemoryMB},
			Program: job.Program, Args: in.Command, Dir: job.Dir, TempDir: job.TempDir, Env: job.Env,
			Stdin:  in.Stdin,
			Stdout: job.Stdout, Stderr: job.Stderr, Timeout: in.Timeout, Grace: e.Grace,
		},
		Passthrough: in.Passthrough, Network: sandbox.Network(in.Network), Installed: job.Installed, Record: job.Record,
		Covered: job.Covered,
	})
	return (*engine.Result)(result), err
}
