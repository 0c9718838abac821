package subprocess

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync/atomic"
	"time"
)

// Stdio is a running program that communicates over its standard input and
// output.
type Stdio struct {
	In  io.WriteCloser
	Out io.ReadCloser
	// Exited is closed once the program has been reaped and its group killed.
	Exited chan struct{}
	// State says how the program ended, such as "exit status 1" or "signal: killed". It
	// is empty if Stop had to kill the program. It may be read after Exited is closed.
	State string

	killed  atomic.Bool
	killAll func()
	grace   time.Duration
}

// StartStdio starts cmd, which should lead a group and whose input and output
// must not be set. grace is how long the program may take to end after its input
// was closed.
func StartStdio(cmd *exec.Cmd, grace time.Duration) (*Stdio, error) {
	return startStdio(cmd, grace, func() (func(), error) {
		err := Start(cmd)
		return func() { KillGroup(cmd.Process.Pid) }, err
	})
}

// StartSupervisedStdio is StartStdio for a program that may start daemons: see
// StartSupervised. It sets the process group itself.
func StartSupervisedStdio(cmd *exec.Cmd, grace time.Duration) (*Stdio, error) {
	return startStdio(cmd, grace, func() (func(), error) {
		s, err := StartSupervised(cmd)
		if err != nil {
			return nil, err
		}
		return s.KillAll, nil
	})
}

func startStdio(cmd *exec.Cmd, grace time.Duration, start func() (killAll func(), err error)) (*Stdio, error) {
	// Use plain pipes: exec.Cmd closes its own pipes as soon as the process
	// ends, when the last answer may still be in them.
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
	killAll, err := start()
	childIn.Close()
	childOut.Close()
	if err != nil {
		in.Close()
		out.Close()
		return nil, err
	}

	p := &Stdio{In: in, Out: out, Exited: make(chan struct{}), killAll: killAll, grace: grace}
	go func() {
		defer close(p.Exited)
		_ = cmd.Wait()
		if cmd.ProcessState != nil && !p.killed.Load() {
			p.State = cmd.ProcessState.String()
		}

		killAll() // the remaining children
	}()
	return p, nil
}

// Stop closes the input, which asks the program to end, and kills the program
// and its children if it does not. It returns when the program has ended.
func (p *Stdio) Stop() {
	p.In.Close()
	select {
	case <-p.Exited:
	case <-time.After(p.grace):
		p.killed.Store(true)
		p.killAll()
		<-p.Exited
	}
	p.Out.Close()
}
