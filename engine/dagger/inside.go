package dagger

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/touchstone-eval/touchstone/engine"
	"github.com/touchstone-eval/touchstone/engine/local"
	"github.com/touchstone-eval/touchstone/pipeline"
)

// InsideVerb is the touchstone verb that runs in every container.
const InsideVerb = "in-container"

// report is how the stage ended, as the program in the container writes it.
type report struct {
	ExitCode   int           `json:"exit_code"`
	TimedOut   bool          `json:"timed_out"`
	Duration   time.Duration `json:"duration"`
	PeakMemory int64         `json:"peak_memory"`
	Isolation  []string      `json:"isolation"`
	// Error tells that the command could not be run at all.
	Error string `json:"error"`
}

// Inside runs the order in file within a container, by the local executor: so
// timeouts, process groups, exit codes and logs are the same there as here.
// The stage's own failure is in the report; an error means that there is none.
// identify is Executor.Identify of the program that runs this.
func Inside(ctx context.Context, file string, identify func(*pipeline.Instance) (string, error)) error {
	b, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var o order
	if err := json.Unmarshal(b, &o); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	box, result := filepath.Join(jobRoot, boxDir), filepath.Join(jobRoot, resultDir)
	for _, dir := range []string{box, result} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	for _, dir := range o.Parents {
		if err := os.MkdirAll(filepath.Join(box, filepath.FromSlash(dir)), 0o755); err != nil {
			return err
		}
	}
	in := &pipeline.Instance{
		Stage: o.Stage, Command: o.Command, Timeout: o.Timeout,
		Platform: o.Platform, Resources: pipeline.Resources{MemoryMB: o.MemoryMB},
	}
	job := &engine.Job{
		Instance: in,
		Dir:      box, TempDir: "/tmp", Program: o.Program, Env: o.Env,
		Stdout: filepath.Join(result, "stdout"), Stderr: filepath.Join(result, "stderr"),
	}
	var r report
	ended, err := run(ctx, &o, job, identify)
	if err != nil {
		r.Error = err.Error()
	} else {
		r = report{
			ExitCode: ended.ExitCode, TimedOut: ended.TimedOut, Duration: ended.Duration,
			PeakMemory: ended.PeakMemory, Isolation: ended.Isolation,
		}
	}
	if b, err = json.Marshal(r); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(result, "result.json"), b, 0o600)
}

// run refuses to work for a key that this program does not stand in.
func run(ctx context.Context, o *order, job *engine.Job, identify func(*pipeline.Instance) (string, error)) (*engine.Result, error) {
	if o.Identity != "" {
		id, err := identify(job.Instance)
		if err != nil {
			return nil, err
		}
		if id != o.Identity {
			return nil, errors.New("the program for containers was built from other source, by another Go or for another processor than this one; build it anew and name it with --container-binary")
		}
	}
	return local.Executor{Grace: o.Grace}.Run(ctx, job)
}
