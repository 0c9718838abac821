// Package inside implements what touchstone does in a container of the dagger
// executor: it reads its job, runs the stage like the local executor, and writes
// the logs and the result to files, which the executor copies.
//
// It only imports the standard library and internal/engine/process, so that
// early.go can run the stage before the rest of the program is initialized.
package inside

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/touchstone-eval/touchstone/internal/engine/process"
)

// Verb is the touchstone verb that runs in every container. It has no arguments.
const Verb = "in-container"

// Paths in a container. Everything that is copied back is below Root, which is keeper.Place of a stage that runs as a
// process, so that outputs that contain a path are the same.
const (
	Root     = "/job"
	StageDir = "stage"  // the stage's directory
	TempDir  = "tmp"    // its TMPDIR
	Result   = "result" // its logs and its report

	JobFile    = "/.touchstone-job/job.json"
	ResultFile = "result.json"
)

// Job is the JSON input of the program in the container.
type Job struct {
	Stage    string        `json:"stage"`
	Command  []string      `json:"command"`
	Program  string        `json:"program"`
	Stdin    string        `json:"stdin"`   // a path in the stage's directory, or empty
	Env      []string      `json:"env"`     // complete, with secrets
	Parents  []string      `json:"parents"` // directories to create for the outputs
	Timeout  time.Duration `json:"timeout"`
	Grace    time.Duration `json:"grace"`
	Platform string        `json:"platform"`
	MemoryMB int64         `json:"memory_mb"`
	// Identity is the required identity of the program in the container. It is
	// empty if it is the same program as the one that wrote the job.
	Identity string `json:"identity"`
}

// Report is the result of the stage, as JSON.
type Report struct {
	ExitCode   int           `json:"exit_code"`
	TimedOut   bool          `json:"timed_out"`
	Duration   time.Duration `json:"duration"`
	PeakMemory int64         `json:"peak_memory"`
	Isolation  []string      `json:"isolation"`
	// Error is the reason why the command could not run at all, or empty.
	Error string `json:"error"`
}

// Run runs the stage of the job. A failure of the stage is in the report. An error means
// that there is no report. identify returns the identity of this program for a
// command, and is called if the job requires an identity.
func Run(ctx context.Context, identify func(command []string) (string, error)) error {
	o, err := read()
	if err != nil {
		return err
	}
	return o.run(ctx, identify)
}

func read() (*Job, error) {
	b, err := os.ReadFile(JobFile)
	if err != nil {
		return nil, err
	}
	o := &Job{}
	if err := json.Unmarshal(b, o); err != nil {
		return nil, fmt.Errorf("%s: %w", JobFile, err)
	}
	return o, nil
}

func (o *Job) run(ctx context.Context, identify func([]string) (string, error)) error {
	box, result := filepath.Join(Root, StageDir), filepath.Join(Root, Result)
	for _, dir := range []string{box, result, filepath.Join(Root, TempDir)} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}

	for _, dir := range o.Parents {
		if err := os.MkdirAll(filepath.Join(box, filepath.FromSlash(dir)), 0o755); err != nil {
			return err
		}
	}

	cmd := process.Command{
		Needs:   process.Needs{Platform: o.Platform, MemoryMB: o.MemoryMB},
		Program: o.Program, Args: o.Command, Dir: box, TempDir: filepath.Join(Root, TempDir), Env: o.Env,
		Stdin:  o.Stdin,
		Stdout: filepath.Join(result, "stdout"), Stderr: filepath.Join(result, "stderr"),
		Timeout: o.Timeout, Grace: o.Grace,
	}
	var r Report
	ended, err := o.carryOut(ctx, &cmd, identify)
	if err != nil {
		r.Error = err.Error()
	} else {
		r = Report{
			ExitCode: ended.ExitCode, TimedOut: ended.TimedOut, Duration: ended.Duration,
			PeakMemory: ended.PeakMemory, Isolation: process.Isolation(),
		}
	}

	b, err := json.Marshal(r)
	if err != nil {
		return err
	}

	return os.WriteFile(filepath.Join(result, ResultFile), b, 0o600)
}

// carryOut runs the command. It returns an error if the identity of this program is
// not the one in the key.
func (o *Job) carryOut(ctx context.Context, cmd *process.Command,
	identify func([]string) (string, error)) (*process.Ended, error) {
	if o.Identity != "" {
		id, err := identify(o.Command)
		if err != nil {
			return nil, err
		}
		if id != o.Identity {
			return nil, errors.New("the program for containers was built from different source, with a different Go " +
				"version or for a different processor; build it again and name it with TOUCHSTONE_CONTAINER_BINARY")
		}
	}
	return cmd.Run(ctx)
}
