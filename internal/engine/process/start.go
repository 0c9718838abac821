package process

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// exitCode is the status as a shell would give it.
func exitCode(state *os.ProcessState) int {
	if ws, ok := state.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return 128 + int(ws.Signal())
	}
	return state.ExitCode()
}

// StartError is a command that could not be started.
type StartError struct {
	Name string // as the stage calls it
	Err  error
}

func (e *StartError) Unwrap() error { return e.Err }

func (e *StartError) Error() string {
	if errors.Is(e.Err, syscall.EACCES) {
		return fmt.Sprintf("starting %s: %v; is the file executable?", e.Name, e.Err)
	}
	return fmt.Sprintf("starting %s: %v", e.Name, e.Err)
}
