package process

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// exitCode returns the exit status as in a shell.
func exitCode(state *os.ProcessState) int {
	if ws, ok := state.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return 128 + int(ws.Signal())
	}
	return state.ExitCode()
}

// StartError is the error of a command that could not be started.
type StartError struct {
	Name string // as written in the stage
	Err  error
}

func (e *StartError) Unwrap() error { return e.Err }

func (e *StartError) Error() string {
	if errors.Is(e.Err, syscall.EACCES) {
		return fmt.Sprintf("starting %s: %v; check that the file is executable", e.Name, e.Err)
	}
	return fmt.Sprintf("starting %s: %v", e.Name, e.Err)
}
