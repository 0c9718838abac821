// Package onworker implements what touchstone does on a worker of the remote executor: it reads its job,
// runs the stage like the local executor, with the same sandbox as far as the worker allows it, and writes
// the logs and a report to files, which the worker uploads.
//
// It only imports packages process and sandbox, and the standard library, so that early.go can run the stage before
// the rest of the program is initialized.
package onworker

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/touchstone-eval/touchstone/internal/engine/process"
	"github.com/touchstone-eval/touchstone/internal/engine/sandbox"
)

// Verb is the touchstone verb that runs on every worker. It has no arguments.
const Verb = "on-worker"

// Names in the root of an action, which is the working directory of the verb.
const (
	ProgramFile = "touchstone"
	JobFile     = "job.json" // only of a long job
	StageDir    = "stage"    // the stage's directory
	InputDir    = "in"       // the inputs, in the stage's directory
	tempDir     = "tmp"
	ReportFile  = "report.json"
	StdoutFile  = "stdout"
	StderrFile  = "stderr"
)

// Supervisor is the environment of touchstone on the worker. It starts a stage and waits, so it needs neither
// several threads nor a collector of garbage before it holds much. That saves 3 to 7 of the 40 ms
// of processor time that it takes with a stage. The stage does not get these variables.
var Supervisor = map[string]string{"GOGC": "off", "GOMEMLIMIT": "256MiB", "GOMAXPROCS": "1"}

// A job is usually a variable, not a file, so that instances have the same files and the server and the worker
// handle two contents less for each. The system limits a variable to 128 KiB.
const (
	JobVariable = "TOUCHSTONE_JOB"
	LongJob     = 100 << 10 // bytes
)

// Job is what the program on the worker does, as JSON. Everybody who may read the server's content can
// read it, so it holds no secret.
type Job struct {
	Stage   string   `json:"stage"`
	Command []string `json:"command"`
	Stdin   string   `json:"stdin,omitempty"` // a path in the stage's directory
	// Program is empty for touchstone itself. Digest is the SHA-256 of its file, if the worker must
	// have the same one as the machine that wrote the job.
	Program string   `json:"program,omitempty"`
	Digest  string   `json:"digest,omitempty"`
	Env     []string `json:"env"`
	// Passthrough are the variables of the worker that the command gets.
	Passthrough []string        `json:"passthrough,omitempty"`
	Parents     []string        `json:"parents"` // directories to create for the outputs
	Timeout     time.Duration   `json:"timeout"`
	Grace       time.Duration   `json:"grace"`
	Network     sandbox.Network `json:"network"`
	Platform    string          `json:"platform,omitempty"`
	MemoryMB    int64           `json:"memory_mb,omitempty"`
	Time        int64           `json:"time"`           // of the inputs, in seconds since 1970
	Open        bool            `json:"open,omitempty"` // isolation is off
	// Identity is the required identity of touchstone on the worker. It is empty if it is the same
	// program as the one that wrote the job.
	Identity string `json:"identity,omitempty"`
}

// Report is the result of the stage, as JSON.
type Report struct {
	sandbox.Result
	// Error is the reason why the command could not run at all, or empty.
	Error string
}

// Carry runs the job in the working directory. A failure of the stage is in the report. An error
// means that there is no report. identify returns the identity of this program for a command, and is called if
// the job requires an identity.
func Carry(ctx context.Context, identify func(command []string) (string, error)) error {
	o, err := read()
	if err != nil {
		return err
	}
	return o.carry(ctx, identify)
}

func read() (*Job, error) {
	b, from := []byte(os.Getenv(JobVariable)), JobVariable
	if len(b) == 0 {
		var err error
		if b, err = os.ReadFile(JobFile); err != nil {
			return nil, err
		}

		from = JobFile
	}

	o := &Job{}
	if err := json.Unmarshal(b, o); err != nil {
		return nil, fmt.Errorf("%s: %w", from, err)
	}

	return o, nil
}

func (o *Job) carry(ctx context.Context, identify func(command []string) (string, error)) error {
	root, err := os.Getwd()
	if err != nil {
		return err
	}

	for _, dir := range append([]string{"."}, o.Parents...) {
		if err := os.MkdirAll(filepath.Join(root, StageDir, filepath.FromSlash(dir)), 0o755); err != nil {
			return err
		}
	}

	if err := os.MkdirAll(filepath.Join(root, tempDir), 0o755); err != nil {
		return err
	}

	for _, dir := range []string{StageDir, tempDir} {
		settle(filepath.Join(root, dir), time.Unix(o.Time, 0))
	}

	var r Report
	if result, err := o.run(ctx, root, identify); err != nil {
		r.Error = err.Error()
	} else {
		r.Result = *result
	}

	b, err := json.Marshal(r)
	if err != nil {
		return err
	}

	return os.WriteFile(filepath.Join(root, ReportFile), b, 0o644)
}

// settle gives what a stage finds the time that it has on the machine of the pipeline. The protocol has no times.
// A file
// with several names belongs to the worker's store and keeps the time of that.
func settle(dir string, to time.Time) {
	// A time that cannot be set makes an output differ and is no reason to fail.
	_ = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.Type()&fs.ModeSymlink != 0 {
			return nil
		}
		if info, err := e.Info(); err == nil && (e.IsDir() || onlyName(info)) {
			_ = os.Chtimes(path, to, to)
		}
		return nil
	})
}

func (o *Job) run(ctx context.Context, root string, identify func([]string) (string, error)) (*sandbox.Result, error) {
	if o.Identity != "" {
		id, err := identify(o.Command)
		if err != nil {
			return nil, err
		}

		if id != o.Identity {
			return nil, errors.New("the program for workers was built from different source, with a different Go " +
				"version or for a different processor; build it again and name it with TOUCHSTONE_CONTAINER_BINARY")
		}
	}

	program := o.Program
	if program == "" {
		program = filepath.Join(root, ProgramFile)
	}

	if err := o.same(program); err != nil {
		return nil, err
	}

	process.CloseInherited() // before the sandbox starts processes
	box := sandbox.Disabled()
	if !o.Open {
		var hidden []string
		if home, err := os.UserHomeDir(); err == nil {
			hidden = append(hidden, home)
		}

		box = sandbox.New(hidden...)
	}

	defer func() { _ = box.Close() }() // this process ends next
	return box.Run(ctx, &sandbox.Job{
		Command: process.Command{
			Needs:   process.Needs{Platform: o.Platform, MemoryMB: o.MemoryMB},
			Program: program, Args: o.Command, Dir: filepath.Join(root, StageDir),
			TempDir: filepath.Join(root, tempDir), Env: o.environment(),
			Stdin:  o.Stdin,
			Stdout: filepath.Join(root, StdoutFile), Stderr: filepath.Join(root, StderrFile), Timeout: o.Timeout,
			Grace: o.Grace,
		},
		Passthrough: o.Passthrough, Network: o.Network,
	})
}

// environment returns the environment of the command. What it gets of the machine that it runs on is the
// worker's.
func (o *Job) environment() []string {
	list := slices.Clone(o.Env)
	for _, name := range o.Passthrough {
		if v, ok := os.LookupEnv(name); ok && Supervisor[name] == "" && name != JobVariable {
			list = slices.DeleteFunc(list, func(s string) bool { return strings.HasPrefix(s, name+"=") })
			list = append(list, name+"="+v)
		}
	}
	slices.Sort(list)
	return list
}

// same returns an error if the worker's program is not the one that the key of the result names.
func (o *Job) same(program string) error {
	if o.Digest == "" {
		return nil
	}

	f, err := os.Open(program)
	if err != nil {
		return fmt.Errorf("the worker does not have the program %s of this machine: %w; name an image that has it, "+
			"or make the program an input of the stage", program, err)
	}

	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return err
	}

	if hex.EncodeToString(h.Sum(nil)) != o.Digest {
		return fmt.Errorf("the program %s of the worker is not the one of this machine, so the result would have a "+
			"wrong key; name an image that has it, or make the program an input of the stage", program)
	}

	return nil
}
