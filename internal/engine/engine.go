// Package engine runs plans. It computes the key of every stage instance from the
// content that the instance reads, uses cached results where possible, and runs
// the other instances with an Executor. It can run any pipeline: it does not
// depend on MCP, tools or metrics, and must not import packages that do.
//
// key.go computes keys, evaluate.go decides between hit and miss, schedule.go
// orders the work, execute.go runs one instance and stores its result, explain.go
// explains hits and misses, and publish.go copies results to the source tree.
package engine

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/touchstone-eval/touchstone/cache"
	"github.com/touchstone-eval/touchstone/internal/base/redact"
	"github.com/touchstone-eval/touchstone/internal/engine/reads"
	"github.com/touchstone-eval/touchstone/pipeline"
)

// Executor runs one prepared job. internal/engine/local runs a process, and
// internal/engine/dagger a container with the same directory.
type Executor interface {
	// Name returns the name of the executor for records.
	Name() string
	// Run executes the job's command with Dir as working directory. If the
	// command exits with a status other than 0 or reaches the timeout, Run
	// returns a Result. An error means that the command could not run at all.
	Run(ctx context.Context, job *Job) (*Result, error)
}

// preparer is implemented by an Executor that depends on something that may be missing. A run
// calls Prepare once, before it executes its first instance. A run with only hits does not. If
// Prepare returns an error, the run ends with it.
type preparer interface {
	Prepare(ctx context.Context) error
}

// recorder is implemented by an Executor that may be able to record what a command reads.
type recorder interface{ Records() bool }

// remoteRunner is implemented by an Executor whose jobs use no processors of this machine.
type remoteRunner interface{ RunsRemotely() }

// Job is one attempt to run one instance. Dir contains the inputs at their
// declared paths, and an empty parent directory for every output.
type Job struct {
	Instance *pipeline.Instance
	Dir      string
	// Inputs identifies the declared inputs in Dir: two jobs with the same
	// digest have inputs with the same files, modes and links.
	Inputs cache.Digest
	// TempDir is a directory for temporary files of this attempt.
	TempDir string
	// Program is the resolved argv[0]. Instance.Command contains the arguments.
	Program string
	// ProgramDigest identifies Program in the key. It is zero for a program that is an input.
	ProgramDigest cache.Digest
	Env           []string // NAME=value, complete, with secrets
	// Stdout and Stderr are the absolute paths of the files for the streams. The
	// file of an empty stream need not be created.
	Stdout string
	Stderr string
	// Installed is the path of Program before its links are resolved: what was installed beside it belongs to it.
	Installed string
	// Record asks for a record of what the command reads. What the program with the path Covered reads need not be in
	// it; Covered may be empty.
	Record  bool
	Covered string
	// Waits is told when the job begins to wait for a place to run, and when it no longer does. It
	// may be nil.
	Waits func(bool)
}

// TextOnly returns an error if a variable of Env is not UTF-8 text, for an Executor that sends jobs in a form that has
// only text. The error does not show the value.
func (j *Job) TextOnly() error {
	for _, v := range j.Env {
		if !utf8.ValidString(v) {
			name, _, _ := strings.Cut(v, "=")
			return fmt.Errorf("the variable %s is not UTF-8 text, which only stages on this machine can be given; set "+
				"another value, or use --executor local", name)
		}
	}
	return nil
}

// Result is the result of a job's process.
type Result struct {
	ExitCode   int
	TimedOut   bool
	Duration   time.Duration
	PeakMemory int64 // bytes, or 0 if unknown
	// Ended reports whether it is certain that all processes of the job have
	// ended, so that nothing can write to its directories anymore.
	Ended bool
	// Hint is a possible reason for the failure of a command, or empty.
	Hint string
	// Isolation lists the means that restricted the process to its declared inputs.
	Isolation []string
	// Recorded reports whether Reads lists everything that the command read besides its own directories.
	Recorded bool
	Reads    []reads.Read
}

// Tool is the program of a command: its path, and the identity of its content for
// the key.
type Tool struct {
	pipeline.ToolIdentity
	Path string
	// Packages identifies the packages that were installed with the program. It is zero if there are none.
	Packages pipeline.ToolIdentity
	// Named is the path that the stage or PATH names, if Path is what it links to.
	Named string
	// Complete reports whether there is nothing else to know about what the program reads, as with an image.
	Complete bool
	// Covered is the path of a program whose own reads the identity covers, or empty.
	Covered string
}

// Tools finds the program of a command.
type Tools interface {
	Resolve(in *pipeline.Instance) (Tool, error)
}

// toolChecker is implemented by Tools that can detect whether a program was
// replaced after it was identified. The result of the new program would have
// another key.
type toolChecker interface {
	Check(Tool) error
}

// Shared holds results that other machines made. Its methods are called from many goroutines.
type Shared interface {
	// Lookup adds the result of a key to the store, if there is one that is accepted. If not, why
	// is a phrase that says so, or empty if there is none at all.
	Lookup(k cache.Key) (found bool, why string)
	// Offer says that the store has the result of a key, which this machine made.
	Offer(k cache.Key)
}

// parallelLookups is the number of instances that are evaluated at once if results are shared: an answer
// takes much longer than what this machine has to do for it.
const parallelLookups = 64

// Engine runs one pipeline. It holds the settings that all runs share.
type Engine struct {
	Store    *cache.Store
	Index    *cache.StatIndex
	Executor Executor
	Tools    Tools
	// Project identifies the pipeline in the history of the cache.
	Project string
	// WorkDir is the directory for the directories of running stages.
	WorkDir string
	// Jobs is the maximum number of instances that run at once, at least 1.
	Jobs int
	// Events receives the events of a run, one call at a time. It may be nil.
	Events func(Event)
	// OmitHits disables the events of hits, for a receiver that ignores them.
	OmitHits bool
	// Now is the clock of events and records.
	Now func() time.Time
	// Shared is asked for results that the store lacks. It may be nil.
	Shared Shared
	// LookupEnv and ReadSecret return the values of passthrough variables and of
	// secrets.
	LookupEnv func(string) (string, bool)
	// Hidden holds what no text may show: the values of sensitive variables, and of
	// the secrets of each stage as soon as it starts. Every message, event, log and
	// record of a run passes through it. A run makes its own if it is nil.
	Hidden *redact.Set
	// VarFiles are the files of variables that the plan was made with.
	VarFiles []string
	// Reload plans the pipeline again, to find the files that were added while a run
	// worked. It returns nil if that fails. It may be nil.
	Reload func() *pipeline.Plan

	executed atomic.Bool // whether an instance was executed since the plan was made
}

// State is the state of an instance after evaluation or a run.
type State string

// States of an instance. Evaluation sets Hit, Miss, Waits and Off, and Skipped for
// an instance that only runs on demand. A run sets the others.
const (
	Hit  State = "HIT"
	Miss State = "MISS"
	// Waits is the state of an instance that reads outputs of an instance that
	// has to run. It may still be a hit once these are known.
	Waits    State = "WAITS"
	Ran      State = "RAN"
	Failed   State = "FAILED"
	Skipped  State = "SKIPPED"
	Canceled State = "CANCELED"
	// Off is the state of an instance whose condition is false. It does not run,
	// and its outputs are null for the instances that read them.
	Off State = "OFF"
)

// Outcome is the result of the evaluation or run of one instance.
type Outcome struct {
	Instance *pipeline.Instance
	State    State
	// Key is zero if an upstream result is not known yet.
	Key     cache.Key
	Reasons []string
	// Miss is the kind of a miss, after an evaluation.
	Miss    cache.MissKind
	Outputs []cache.RecordOutput
	// Duration is the time of the execution, in this run or when the hit was
	// recorded.
	Duration time.Duration
	// Origin says where the result of a hit comes from. It is nil if this machine
	// made it.
	Origin   *cache.Origin
	ExitCode int
	Attempts int
	// Stdout and Stderr are the digests of the logs in the cache, if the instance
	// ran.
	Stdout, Stderr cache.Digest
	// Err is the reason why the instance failed, or, for one that was not selected, a *StaleError. Cause is the
	// name of the instance with an Err because of which this one was skipped.
	Err   error
	Cause string
	// Failed holds the outputs that the instance wrote before it failed.
	Failed FailedOutputs

	// Differences describe the outputs that were other ones in a second run, see RunOptions.Check.
	Differences []string

	// Changes are the differences of a miss from an earlier result, with their
	// details, if the evaluation was asked to explain. NotInHistory reports whether
	// that result is not in the history of this checkout.
	Changes      []Change
	NotInHistory bool

	// stale reports whether the instance is needed and was not selected, or whether Cause is.
	stale bool
	// failed says that the instance failed in its last run, if that is why it has no result.
	failed string
	// tool is the program of the instance, if it was found.
	tool Tool
	// reads is the list of what the command read, of a hit or of an execution. It is zero if there is none.
	reads cache.Digest
	// disturbed is the number of attempts that recording disturbed.
	disturbed int
	// compared is the result that Changes are relative to.
	compared *cache.Record
	// components are the components of the key. They are nil for a hit in a run
	// that does not need them. Those of an instance whose key is not known lack its unknown inputs.
	components []pipeline.KeyComponent
	// blocked reports whether the key cannot be known before an upstream instance has run, and unknown lists the
	// inputs that upstream instances have to write first.
	blocked bool
	unknown []UnknownInput
}

// Interrupted reports whether the command of the instance ran when the run was interrupted. Its log is kept.
func (o *Outcome) Interrupted() bool { return o.State == Canceled && !o.Stdout.IsZero() }

// setHit makes the outcome a hit.
func (o *Outcome) setHit(r cache.Result) {
	o.State, o.Outputs, o.Duration, o.Origin = Hit, r.Outputs, r.Duration, r.Origin
	o.reads = r.Reads
}

// Components returns the components of the key after an evaluation, or nil if the key is not
// known. After a run they are only known for instances that were executed.
func (o *Outcome) Components() []pipeline.KeyComponent { return o.components }

// component returns the digest of a component of the key, or zero.
func (o *Outcome) component(name string) cache.Digest {
	for i := range o.components {
		if o.components[i].Name == name {
			return o.components[i].Digest
		}
	}
	return cache.Digest{}
}

// Output returns the output with the given name.
func (o *Outcome) Output(name string) (cache.RecordOutput, bool) {
	for _, out := range o.Outputs {
		if out.Name == name {
			return out, true
		}
	}
	return cache.RecordOutput{}, false
}
