package subprocess

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"
)

// Stdio is a running program that is spoken to over its standard input and
// output.
type Stdio struct {
	In  io.WriteCloser
	Out io.ReadCloser
	// Exited is closed once the program is reaped and its group ended.
	Exited chan struct{}

	cmd   *exec.Cmd
	grace time.Duration
}

// StartStdio starts cmd, whose input and output must not be set and which
// should lead a group. grace is how long it may take to end after its input was
// closed.
func StartStdio(cmd *exec.Cmd, grace time.Duration) (*Stdio, error) {
	// Plain pipes and not those of exec.Cmd, which closes its own as soon as
	// the process ends, with the last answer perhaps still in them.
	childIn, in, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("open a pipe: %w", err)
	}
	out, childOut, err := os.Pipe()
	if err != nil {
		childIn.Close()
		in.Close()
		return nil, fmt.Errorf("open a pipe: %w", err)
	}
	cmd.Stdin, cmd.Stdout = childIn, childOut
	cmd.WaitDelay = grace
	err = Start(cmd)
	childIn.Close()
	childOut.Close()
	if err != nil {
		in.Close()
		out.Close()
		return nil, err
	}
	p := &Stdio{In: in, Out: out, Exited: make(chan struct{}), cmd: cmd, grace: grace}
	go func() {
		defer close(p.Exited)
		_ = cmd.Wait()
		KillGroup(cmd.Process.Pid) // what it left running
	}()
	return p, nil
}

// Stop closes the input, which asks a program to end, and kills it with its
// children when it does not. It returns when the program is gone.
func (p *Stdio) Stop() {
	p.In.Close()
	select {
	case <-p.Exited:
	case <-time.After(p.grace):
		KillGroup(p.cmd.Process.Pid)
		<-p.Exited
	}
	p.Out.Close()
}
