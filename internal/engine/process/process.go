// Package process runs one command: in its own process group, which is killed when the
// command ends, with only the given environment, with both output streams in files, and
// with a time limit.
//
// The local executor and the program in every container both use it to run stages, so
// that exit statuses, timeouts and logs are the same. It only imports package
// subprocess, x/sys and the standard library, so that in a container it can run before
// the rest of touchstone is initialized.
package process

import (
	"cmp"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/touchstone-eval/touchstone/internal/base/subprocess"
)

// Command is a command to run, with its directory and environment.
type Command struct {
	Needs
	Program string   // see File
	Args    []string // the program's name and its arguments
	Dir     string
	TempDir string   // TMPDIR; also identifies the command's remaining processes
	Env     []string // NAME=value, complete except for TMPDIR
	Stdin   string   // the path in Dir of the file that is the standard input, or "" for none
	// Stdout and Stderr are the paths of the files for the streams. The file of an
	// empty stream is not created.
	Stdout, Stderr string
	Timeout        time.Duration // 0 for none
	// Grace is the time between SIGTERM and SIGKILL for a command that must
	// end.
	Grace time.Duration
	// Confine is called on the thread that starts the command, to restrict it. The
	// thread cannot be used for anything else afterwards. Optional.
	Confine func() (Confined, error) `json:"-"`
}

// Confined is what a restricted command has to know.
type Confined struct {
	// Bound is whether the kernel must kill the command if this process dies: a command
	// in a PID namespace cannot be bound, because it does not see its parent.
	Bound bool
	// Ended is called on the thread of Confine when the command has ended, or could not be started. Optional.
	Ended func()
	// From and To are the paths of one directory for this process and for the command. To is
	// empty if they are the same.
	From, To string
}

// path returns the path of a file for the command.
func (c *Confined) path(p string) string {
	if rest, ok := strings.CutPrefix(p, c.From+"/"); ok && c.To != "" {
		return c.To + "/" + rest
	}
	return p
}

// Ended is the result of a command.
type Ended struct {
	// ExitCode is the exit status as in a shell: 128 plus the number of the signal
	// if a signal ended the command.
	ExitCode   int
	TimedOut   bool
	Duration   time.Duration
	PeakMemory int64 // bytes, or 0 if unknown
	// It is certain that all processes of the command have ended.
	Nothing bool
}

// Isolation lists the restrictions that apply to every command.
func Isolation() []string {
	return []string{"fresh-directory", "declared-environment", "process-group"}
}

// Run starts the command and waits for it. If ctx ends or the command reaches the
// timeout, Run sends SIGTERM to the whole process group, and then kills it. It returns a
// *StartError if the command cannot be started.
func (c *Command) Run(ctx context.Context) (*Ended, error) {
	if err := c.Met(); err != nil {
		return nil, err
	}

	CloseInherited()
	stdout, err := newStream(c.Stdout)
	if err != nil {
		return nil, err
	}

	stderr, err := newStream(c.Stderr)
	if err != nil {
		return nil, errors.Join(err, stdout.end())
	}

	ended, err := c.run(ctx, stdout, stderr)
	// Close everything that the command was given, because its directory may be
	// reused. A full disk fails both streams, so one of the errors says it.
	outErr, errErr := stdout.end(), stderr.end()
	if logErr := cmp.Or(outErr, errErr); err == nil && logErr != nil {
		return nil, logErr
	}

	return ended, err
}

func (c *Command) run(ctx context.Context, stdout, stderr *stream) (*Ended, error) {
	file := c.File()
	cmd := &exec.Cmd{
		Path: file, Args: c.Args, Dir: c.Dir,
		Env:    append(tempEnv(c.TempDir), c.Env...),
		Stdout: stdout.w, Stderr: stderr.w,
		SysProcAttr: processGroup(),
	}
	if c.Stdin != "" {
		in, err := os.Open(filepath.Join(c.Dir, filepath.FromSlash(c.Stdin)))
		if err != nil {
			return nil, err
		}

		defer in.Close()
		cmd.Stdin = in
	}

	var start time.Time
	var confined Confined
	end := func() {
		if confined.Ended != nil {
			confined.Ended()
		}
	}
	release, err := onThread(c.Confine != nil, end, func() error {
		if c.Confine != nil {
			var err error
			if confined, err = c.Confine(); err != nil {
				return err
			}

			if !confined.Bound {
				unbind(cmd.SysProcAttr)
			}

			cmd.Path, cmd.Dir = confined.path(cmd.Path), confined.path(cmd.Dir)
			cmd.Env = append(tempEnv(confined.path(c.TempDir)), c.Env...)
		}

		start = time.Now()
		started.Store(true)
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
	// Kill the remaining background processes of the command.
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

var (
	started atomic.Bool
	endNow  = make(chan struct{})
)

// Started reports whether this program has started a command.
func Started() bool { return started.Load() }

// EndNow kills the commands that were asked to end, without waiting for their grace. It may be called once.
func EndNow() { close(endNow) }

// tempEnv returns the variables that name the directory for temporary files.
func tempEnv(dir string) []string {
	if runtime.GOOS == "windows" {
		return []string{"TMPDIR=" + dir, "TMP=" + dir, "TEMP=" + dir}
	}
	return []string{"TMPDIR=" + dir}
}

// supervise ends the group if ctx ends or at the timeout. It reports whether the timeout
// was the reason.
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
		return timedOut
	case <-grace.C:
	case <-endNow:
	}

	killGroup(pid, syscall.SIGKILL)
	return timedOut
}
