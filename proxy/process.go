package proxy

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"
)

// terminateAfter is how long a stdio server may take to end after its input
// was closed, before it is killed with all that it started.
const terminateAfter = 500 * time.Millisecond

// process is a stdio server. in and out are its standard input and output.
type process struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    io.ReadCloser
	exited chan struct{} // closed once the process is reaped
}

// startProcess starts cmd, whose input and output must not be set.
func startProcess(cmd *exec.Cmd) (*process, error) {
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
	err = cmd.Start()
	childIn.Close()
	childOut.Close()
	if err != nil {
		in.Close()
		out.Close()
		return nil, err
	}
	p := &process{cmd: cmd, in: in, out: out, exited: make(chan struct{})}
	go func() {
		defer close(p.exited)
		_ = cmd.Wait()
		killGroup(cmd.Process.Pid) // what it left running
	}()
	return p, nil
}

// stop closes the input, which asks a stdio server to end, and kills it with
// its children when it does not. It returns when the process is gone.
func (p *process) stop() {
	p.in.Close()
	select {
	case <-p.exited:
	case <-time.After(terminateAfter):
		killGroup(p.cmd.Process.Pid)
		<-p.exited
	}
	p.out.Close()
}
