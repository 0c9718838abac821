package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"

	"github.com/touchstone-eval/touchstone/internal/base/failure"
	"github.com/touchstone-eval/touchstone/internal/engine"
)

// Exit codes, as documented by --help.
const (
	exitPassed      = 0
	exitGateFailed  = 1
	exitUsage       = 2
	exitStageFailed = 3
	exitBadDataset  = 4
	exitNoVerdict   = 6
	exitNeedsEngine = 75 // of --without-engine, which the Dagger module uses
	exitInterrupted = 130
)

const exitCodesHelp = `Exit codes:
  0    passed
  1    the gate failed
  2    usage error or invalid pipeline
  3    a stage failed
  4    a dataset is invalid
  6    no verdict: there is no baseline yet, or it does not match the data
  130  interrupted`

// exitError adds an exit code to an error. If err is nil, the error was already reported.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit status %d", e.code)
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

// report prints an error once and returns the process's exit code.
func report(ctx context.Context, w io.Writer, err error) int {
	if err == nil {
		return exitPassed
	}

	code := exitCode(ctx, err)
	var known *exitError
	var reported *failure.Reported
	if errors.As(err, &known) && known.err == nil || errors.As(err, &reported) {
		return code
	}

	if code == exitInterrupted && known == nil {
		err = errors.New("interrupted")
	}

	failure.Write(w, toolName, err)
	return code
}

// exitCode maps an error to its exit code. No other function does.
func exitCode(ctx context.Context, err error) int {
	var known *exitError
	var stage *engine.StageError
	var differ *engine.DifferError
	var reported *failure.Reported
	switch {
	case ctx.Err() != nil && errors.Is(err, context.Canceled):
		return exitInterrupted
	case errors.Is(err, errNeedsEngine):
		return exitNeedsEngine
	case errors.As(err, &stage):
		return stageExitCode(stage)
	case errors.As(err, &known):
		return known.code
	case errors.As(err, new(*engine.StaleError)):
		return exitUsage
	case errors.As(err, &differ):
		return exitStageFailed
	case errors.As(err, &reported):
		return reported.Code
	default:
		return exitUsage
	}
}

// stageExitCode distinguishes an invalid dataset, which our stages report by their exit status,
// from other failures.
func stageExitCode(e *engine.StageError) int {
	command := e.Outcome.Instance.Command
	var exit *engine.ExitError
	if errors.As(e, &exit) && !exit.TimedOut && exit.Code == exitBadDataset &&
		len(command) > 2 && command[0] == toolName && command[1] == "stage" {
		return exitBadDataset
	}
	return exitStageFailed
}

// stageError returns an error of a stage that was run by hand with the exit code of the stage,
// if it has one. It does not use the exit status of a program that the stage started: a package
// manager's 1 would mean that the gate failed.
func stageError(err error) error {
	if err == nil || errors.Is(err, context.Canceled) {
		return err
	}
	var own interface{ ExitCode() int }
	if errors.As(err, &own) {
		if _, started := own.(*exec.ExitError); !started {
			return &exitError{own.ExitCode(), err}
		}
	}
	return &exitError{exitStageFailed, err}
}
