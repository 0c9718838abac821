package scan

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"sync"
	"time"
)

// terminateAfter is how long a server may take to end after its input was
// closed, before it is killed with all that it started.
const terminateAfter = time.Second

// process is a server on standard input and output.
type process struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    io.ReadCloser
	errors *tail
	exited chan struct{} // closed once the process is reaped
}

// startProcess starts the command of s with a small environment and what its
// entry adds: the other secrets in our own are none of the server's business.
func startProcess(s Server) (*process, error) {
	cmd := exec.Command(s.Command[0], s.Command[1:]...)
	cmd.Dir = s.Dir
	for _, name := range []string{"PATH", "HOME", "USER", "LANG", "TMPDIR", "TERM", "SystemRoot", "APPDATA", "LOCALAPPDATA"} {
		if v, ok := os.LookupEnv(name); ok {
			cmd.Env = append(cmd.Env, name+"="+v)
		}
	}
	for name, v := range s.Env {
		cmd.Env = append(cmd.Env, name+"="+v)
	}
	slices.Sort(cmd.Env)
	p := &process{cmd: cmd, errors: &tail{}, exited: make(chan struct{})}
	cmd.Stderr = p.errors
	cmd.WaitDelay = terminateAfter
	ownGroup(cmd)
	// Plain pipes and not those of exec.Cmd, which closes its own when the
	// process ends, with the last answer perhaps still in them.
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
	p.in, p.out = in, out
	err = cmd.Start()
	childIn.Close()
	childOut.Close()
	if err != nil {
		in.Close()
		out.Close()
		return nil, err
	}
	go func() {
		defer close(p.exited)
		_ = cmd.Wait()
		killGroup(cmd.Process.Pid) // what it left running
	}()
	return p, nil
}

// stop closes the input, which asks a server to end, and kills it with its
// children when it does not. It returns when the process is reaped.
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

// tail keeps the end of what a server writes to its standard error.
type tail struct {
	mu   sync.Mutex
	text []byte
}

const tailSize = 2 << 10

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	if len(t.text) > tailSize {
		t.text = append([]byte(nil), t.text[len(t.text)-tailSize:]...)
	}
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.text)
}
