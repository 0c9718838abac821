// Package process runs one command to its end: in a process group of its own
// that does not outlive it, with the environment that it is given and nothing
// else, its two streams in files, and a bound on its time.
//
// The local executor and the program in every container both run stages by it,
// so that exit statuses, timeouts and logs are the same in both. It imports
// program, x/sys and the standard library alone: in a container it works before
// the rest of touchstone is set up.
package process

import (
	"context"
	"errors"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"github.com/touchstone-eval/touchstone/internal/subprocess"
)

// Command is what to run, and where.
type Command struct {
	Needs
	Program string   // the file; a relative one starts at Dir
	Args    []string // with the program's name in front
	Dir     string
	TempDir string   // TMPDIR, by which what the command leaves running is known
	Env     []string // NAME=value, complete but for TMPDIR
	// Stdout and Stderr are files to write the streams to; a stream without
	// a byte makes none.
	Stdout, Stderr string
	Timeout        time.Duration // 0 for none
	// Grace is how long the command may take to end after SIGTERM before it
	// is killed.
	Grace time.Duration
	// Confine, if there is one, is called on the thread that starts the
	// command, and holds it to something. The thread is of no other use then.
	Confine func() error
}

// Ended is how a command ended.
type Ended struct {
	// ExitCode is as a shell would give it: 128 plus the signal for a command
	// that a signal ended.
	ExitCode   int
	TimedOut   bool
	Duration   time.Duration
	PeakMemory int64 // bytes, 0 where unknown
	// Nothing of the command lives any more, for certain.
	Nothing bool
}

// Isolation is what every command is held by.
func Isolation() []string {
	return []string{"fresh-directory", "declared-environment", "process-group"}
}

// Run starts the command and waits for it. When ctx ends or the timeout passes,
// the whole process group is told to end and then killed. A *StartError says
// that it could not be started.
func (c *Command) Run(ctx context.Context) (*Ended, error) {
	if err := c.Met(); err != nil {
		return nil, err
	}
	stdout, err := newStream(c.Stdout)
	if err != nil {
		return nil, err
	}
	stderr, err := newStream(c.Stderr)
	if err != nil {
		return nil, errors.Join(err, stdout.end())
	}
	ended, err := c.run(ctx, stdout, stderr)
	// Nothing that the command was given is left open: what follows may use
	// its directory again.
	if logErr := errors.Join(stdout.end(), stderr.end()); err == nil && logErr != nil {
		return nil, logErr
	}
	return ended, err
}

func (c *Command) run(ctx context.Context, stdout, stderr *stream) (*Ended, error) {
	file := c.Program
	if !filepath.IsAbs(file) {
		file = filepath.Join(c.Dir, file)
	}
	cmd := &exec.Cmd{
		Path: file, Args: c.Args, Dir: c.Dir,
		Env:    append([]string{"TMPDIR=" + c.TempDir}, c.Env...),
		Stdout: stdout.w, Stderr: stderr.w,
		SysProcAttr: processGroup(),
	}
	var start time.Time
	release, err := onThread(c.Confine != nil, func() error {
		if c.Confine != nil {
			if err := c.Confine(); err != nil {
				return err
			}
		}
		start = time.Now()
		if err := starting(cmd); err != nil {
			return &StartError{Name: c.Args[0], Err: subprocess.Explained(err, file)}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	defer release()
	stdout.start()
	stderr.start()
	pid := cmd.Process.Pid
	done := make(chan struct{})
	timedOut := make(chan bool, 1)
	go func() { timedOut <- c.supervise(ctx, pid, done) }()
	// What the command left running in the background dies with it.
	waitErr := waitAndKillGroup(cmd)
	close(done)
	ended := &Ended{TimedOut: <-timedOut, Duration: time.Since(start), ExitCode: exitCode(cmd.ProcessState)}
	ended.Nothing = leftNothing(pid, c.TempDir)
	if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		ended.PeakMemory = peakBytes(usage)
	}
	var exit *exec.ExitError
	if waitErr != nil && !errors.As(waitErr, &exit) {
		return nil, waitErr
	}
	return ended, nil
}

// supervise ends the group when it has to and reports whether the timeout was
// why.
func (c *Command) supervise(ctx context.Context, pid int, done <-chan struct{}) bool {
	var deadline <-chan time.Time
	if c.Timeout > 0 {
		t := time.NewTimer(c.Timeout)
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
	grace := time.NewTimer(c.Grace)
	defer grace.Stop()
	select {
	case <-done:
	case <-grace.C:
		killGroup(pid, syscall.SIGKILL)
	}
	return timedOut
}
