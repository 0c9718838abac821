package sandbox

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"syscall"
	"time"

	"github.com/touchstone-eval/touchstone/internal/engine/process"
	"github.com/touchstone-eval/touchstone/internal/engine/reads"
)

// Job is a command to run, with what it declares.
type Job struct {
	Command process.Command // Run sets its Confine
	// Passthrough names the variables of Env whose paths the command may access.
	Passthrough []string
	Network     Network
	// Installed is another path of the command's program: what was installed beside it may be read.
	Installed string
	// Record asks for a record of what the command reads, but not of what the program with the path Covered reads.
	Record  bool
	Covered string
}

// Network is the network that a command declares.
type Network string

// Networks, with the words of the language.
const (
	NoNetwork  Network = "none"
	Loopback   Network = "loopback"
	AnyNetwork Network = "full"
)

// Result is the result of a command.
type Result struct {
	ExitCode   int
	TimedOut   bool
	Duration   time.Duration
	PeakMemory int64 // bytes, or 0 if unknown
	// Ended reports whether it is certain that all processes of the command have ended.
	Ended bool
	// Hint is a possible reason for the failure of a command, or empty.
	Hint string
	// Isolation lists what restricted the command, and what did not.
	Isolation []string
	// Recorded reports whether Reads lists everything that the command read outside of the directories that it may
	// write.
	Recorded bool
	Reads    []reads.Read
}

// Run starts the command and waits for it. If ctx ends or the command reaches its timeout, Run sends SIGTERM to
// its whole process group, and then kills it. A nil sandbox restricts nothing, and its results do not mention
// that.
func (s *Sandbox) Run(ctx context.Context, job *Job) (*Result, error) {
	if s == nil {
		ended, err := job.Command.Run(ctx)
		if err != nil {
			return nil, err
		}

		return resultOf(ended), nil
	}

	if result, err, ran := s.runInHelper(ctx, job); ran {
		return result, err
	}

	cmd := job.Command
	cmd.Program = cmd.File()
	var confined *confinement
	confine := func() (process.Confined, error) {
		var err error
		if confined, err = s.confine(job, cmd.Program); err != nil {
			return process.Confined{}, err
		}

		return process.Confined{Bound: !confined.ownProcesses(), From: confined.from, To: confined.to,
			Ended: confined.ended}, nil
	}
	if !s.off {
		cmd.Confine = confine
	} else if _, err := confine(); err != nil {
		return nil, err
	}

	ended, err := cmd.Run(ctx)
	if err != nil {
		if confined != nil {
			s.release(confined, errors.As(err, new(*process.StartError)))
			_ = s.recorded(confined, &Result{}) // there is no record
			if errors.Is(err, syscall.ENOSYS) && job.Record {
				// Nobody answered the call that executes the program.
				return nil, fmt.Errorf("%w: %w", reads.ErrDisturbed, err)
			}
		}

		return nil, startError(err, confined)
	}

	result := resultOf(ended)
	result.Isolation = append(result.Isolation, confined.words...)
	result.Ended = s.release(confined, ended.Nothing)
	if err := s.recorded(confined, result); err != nil && !result.TimedOut {
		return nil, err // a command that timed out did not end because of a call
	}

	if result.ExitCode != 0 {
		result.Hint = s.hint(job, confined)
	}

	return result, nil
}

func resultOf(ended *process.Ended) *Result {
	return &Result{
		ExitCode: ended.ExitCode, TimedOut: ended.TimedOut, Duration: ended.Duration, PeakMemory: ended.PeakMemory,
		Ended: ended.Nothing, Isolation: process.Isolation(),
	}
}

// startError adds a hint to the error of a program that could not be executed, if the
// sandbox may be the reason.
func startError(err error, confined *confinement) error {
	var start *process.StartError
	if errors.As(err, &start) && errors.Is(err, syscall.EACCES) && confined != nil &&
		slices.Contains(confined.words, enforcedFiles) {
		return fmt.Errorf("starting %s: %w; check that the file is executable, and that the interpreter in its "+
			"first line is an input of the stage, in its PATH or in a system directory", start.Name, start.Err)
	}
	return err
}
