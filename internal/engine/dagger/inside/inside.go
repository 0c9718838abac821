// Package inside is what touchstone does in a container of the dagger executor:
// it reads its order, runs the stage as the local executor would, and leaves
// the logs and how the stage ended where the executor takes them from.
//
// It imports the standard library and internal/engine/process alone, so that early.go
// can do the work before the rest of the program is set up.
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

// Where things are in a container. All that is taken back lies below Root.
const (
	Root   = "/job"
	Box    = "box"    // the stage's directory
	Result = "result" // its logs and its end

	OrderFile  = "/.touchstone-order/order.json"
	ResultFile = "result.json"
)

// Order is what the program in the container is told, as JSON.
type Order struct {
	Stage    string        `json:"stage"`
	Command  []string      `json:"command"`
	Program  string        `json:"program"`
	Env      []string      `json:"env"`     // complete, secrets included
	Parents  []string      `json:"parents"` // directories to make for the outputs
	Timeout  time.Duration `json:"timeout"`
	Grace    time.Duration `json:"grace"`
	Platform string        `json:"platform"`
	MemoryMB int64         `json:"memory_mb"`
	// Identity is what the program in the container has to be, empty for
	// the very program that gives the order.
	Identity string `json:"identity"`
}

// Report is how the stage ended, as JSON.
type Report struct {
	ExitCode   int           `json:"exit_code"`
	TimedOut   bool          `json:"timed_out"`
	Duration   time.Duration `json:"duration"`
	PeakMemory int64         `json:"peak_memory"`
	Isolation  []string      `json:"isolation"`
	// Error tells that the command could not be run at all.
	Error string `json:"error"`
}

// Run carries out the order. The stage's own failure is in the report; an error
// means that there is none. identify gives the identity of this program for
// the command of an order that asks for one.
func Run(ctx context.Context, identify func(command []string) (string, error)) error {
	o, err := read()
	if err != nil {
		return err
	}
	return o.run(ctx, identify)
}

func read() (*Order, error) {
	b, err := os.ReadFile(OrderFile)
	if err != nil {
		return nil, err
	}
	o := &Order{}
	if err := json.Unmarshal(b, o); err != nil {
		return nil, fmt.Errorf("%s: %w", OrderFile, err)
	}
	return o, nil
}

func (o *Order) run(ctx context.Context, identify func([]string) (string, error)) error {
	box, result := filepath.Join(Root, Box), filepath.Join(Root, Result)
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
	cmd := process.Command{
		Needs:   process.Needs{Platform: o.Platform, MemoryMB: o.MemoryMB},
		Program: o.Program, Args: o.Command, Dir: box, TempDir: "/tmp", Env: o.Env,
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

// carryOut refuses to work for a key that this program does not stand in.
func (o *Order) carryOut(ctx context.Context, cmd *process.Command, identify func([]string) (string, error)) (*process.Ended, error) {
	if o.Identity != "" {
		id, err := identify(o.Command)
		if err != nil {
			return nil, err
		}
		if id != o.Identity {
			return nil, errors.New("the program for containers was built from other source, by another Go or for another processor than this one; build it anew and name it with --container-binary")
		}
	}
	return cmd.Run(ctx)
}
