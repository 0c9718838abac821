// Package engine runs plans: it keys every stage instance on the content of
// what it reads, answers from the store where it can, and hands the rest to
// an Executor. It could run any pipeline; it knows nothing of MCP, tools or
// metrics, and no package that does may be imported here.
//
// One file a concept: key.go turns inputs into keys, evaluate.go decides hit
// or miss, schedule.go orders the work, execute.go runs one instance and
// stores its result, explain.go says why, publish.go writes results into the
// tree.
package engine

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/touchstone-eval/touchstone/cache"
	"github.com/touchstone-eval/touchstone/pipeline"
)

// Executor runs one prepared job. internal/engine/local runs a process; a container
// executor mounts the same directory.
type Executor interface {
	// Name stands in the records of what it ran.
	Name() string
	// Run executes the job's command with Dir as working directory. A
	// command that exits non-zero or runs into the timeout is a Result,
	// not an error; an error means that it could not be run at all.
	Run(ctx context.Context, job *Job) (*Result, error)
}

// Job is one attempt at one instance. Dir holds the inputs at their declared
// paths and an empty parent for every output.
type Job struct {
	Instance *pipeline.Instance
	Dir      string
	// Inputs says what the declared inputs in Dir are: where two jobs have
	// the same, they have the same files, modes and links below it.
	Inputs cache.Digest
	// TempDir is the attempt's own place for temporary files.
	TempDir string
	// Program is the resolved argv[0]; Instance.Command holds the rest.
	Program string
	Env     []string // NAME=value, complete, secrets included
	// Stdout and Stderr are files, absolute, to write the streams to; a
	// stream without a byte needs none.
	Stdout string
	Stderr string
}

// Result is how a job's process ended.
type Result struct {
	ExitCode   int
	TimedOut   bool
	Duration   time.Duration
	PeakMemory int64 // bytes, 0 where unknown
	// Ended says that certainly no process of the job lives any more, so
	// that nothing can still write into its directories.
	Ended bool
	// Hint says why a command that failed may have; empty where that cannot
	// be told.
	Hint string
	// Isolation lists what kept the process to its declared inputs.
	Isolation []string
}

// Tool is the program that a command starts: where it is, and the identity
// under which its content enters the key.
type Tool struct {
	pipeline.ToolIdentity
	Path string
}

// Tools finds the program of a command.
type Tools interface {
	Resolve(in *pipeline.Instance) (Tool, error)
}

// toolChecker is what Tools may have to notice that a program was replaced
// after it was identified: what it then did belongs to another key.
type toolChecker interface {
	Check(Tool) error
}

// Engine holds what all runs of one pipeline share.
type Engine struct {
	Store    *cache.Store
	Index    *cache.StatIndex
	Executor Executor
	Tools    Tools
	// Project names the pipeline in the store's history.
	Project string
	// WorkDir is where the directories of running stages are made.
	WorkDir string
	// Jobs bounds how many instances run at once; at least 1.
	Jobs int
	// Events receives what happens, one call at a time; may be nil.
	Events func(Event)
	// OmitHits keeps hits from Events, for a receiver that would drop them.
	OmitHits bool
	// Now is the clock of events and records.
	Now func() time.Time
	// LookupEnv and ReadSecret give passthrough variables and secrets.
	LookupEnv func(string) (string, bool)

	executed atomic.Bool // an instance was executed, so the plan is old
}

// State is what became of an instance.
type State string

// States of an instance. Hit, Miss and Off come from evaluation, and Skipped
// for one that runs on demand only; the others come from a run.
const (
	Hit      State = "HIT"
	Miss     State = "MISS"
	Ran      State = "RAN"
	Failed   State = "FAILED"
	Skipped  State = "SKIPPED"
	Canceled State = "CANCELED"
	// Off is an instance whose condition is false: it is never run, and its
	// outputs are null to those that read them.
	Off State = "OFF"
)

// Outcome is one instance after evaluation or a run.
type Outcome struct {
	Instance *pipeline.Instance
	State    State
	// Key is zero when an upstream result is not known yet.
	Key     cache.Key
	Reasons []string
	Outputs []cache.RecordOutput
	// Duration is what executing took, now or when the hit was recorded.
	Duration time.Duration
	ExitCode int
	Attempts int
	// Stdout and Stderr name the logs in the store when the instance ran.
	Stdout, Stderr cache.Digest
	// Err says why the instance failed; Cause names the instance whose
	// failure a skipped one goes back to.
	Err   error
	Cause string
	// Failed is what the instance wrote before it failed.
	Failed FailedOutputs

	// components of the key; nil for a hit of a run that needs none.
	components []pipeline.KeyComponent
}

// component is the digest of a part of the key; zero when there is none.
func (o *Outcome) component(name string) cache.Digest {
	for i := range o.components {
		if o.components[i].Name == name {
			return o.components[i].Digest
		}
	}
	return cache.Digest{}
}

// Output finds an output by name.
func (o *Outcome) Output(name string) (cache.RecordOutput, bool) {
	for _, out := range o.Outputs {
		if out.Name == name {
			return out, true
		}
	}
	return cache.RecordOutput{}, false
}
