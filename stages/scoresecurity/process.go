package scoresecurity

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"time"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/base/readlimit"
	"github.com/touchstone-eval/touchstone/internal/base/subprocess"
)

// maxLine is the length in bytes of the longest verdict line that is read. The
// kept evidence is much shorter; a longer line means that the detector prints
// its input.
const maxLine = 1 << 20

// process is one running detector.
type process struct {
	cmd   *exec.Cmd
	stdin io.WriteCloser
	lines <-chan readlimit.Read
	quit  chan struct{}
	ended bool // finish or stop was called
}

// start runs argv in its own process group and copies its stderr to the tail.
func start(argv []string, stderr *subprocess.Tail) (*process, error) {
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Stderr = stderr
	// A grandchild that keeps stderr open must not block Wait.
	cmd.WaitDelay = time.Second / 2
	subprocess.LeadBound(cmd)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}

	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}

	if err := subprocess.Start(cmd); err != nil {
		return nil, err
	}

	quit := make(chan struct{})
	return &process{cmd: cmd, stdin: stdin, lines: readlimit.Lines(stdout, maxLine, quit), quit: quit}, nil
}

// ask sends a request and reads the verdict.
func (p *process) ask(ctx context.Context, r contracts.DetectorRequest, timeout time.Duration) (
	v contracts.DetectorVerdict, err error) {
	request, err := requestLine(r)
	if err != nil {
		return v, err
	}

	line, err := p.exchange(ctx, request, timeout)
	if err != nil {
		return v, err
	}

	return readVerdict(line, r.ID)
}

// exchange sends one request line and waits for one line. After an error the process
// is in an unknown state: stop it and start another one.
func (p *process) exchange(ctx context.Context, request []byte, timeout time.Duration) ([]byte, error) {
	// If the detector does not read, the write blocks until stop closes the
	// pipe. A failed write needs no handling: a detector that does not read
	// does not answer either.
	go func() { _, _ = p.stdin.Write(request) }()
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	select {
	case a := <-p.lines:
		switch a.Err {
		case io.EOF:
			return nil, errors.New(p.ending())
		case readlimit.ErrLineTooLong:
			return nil, fmt.Errorf("answered a line of more than %d bytes", maxLine)
		}

		return a.Line, a.Err
	case <-timer.C:
		return nil, fmt.Errorf("%w within %v", errNoVerdict, timeout)
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// errNoVerdict is wrapped by the error for an entry that timed out.
var errNoVerdict = errors.New("gave no verdict")

// ending describes how a detector that closed its output ended.
func (p *process) ending() string {
	if err := p.finish(2 * time.Second); err == errStillRunning {
		return "closed its output before its verdict"
	}
	return fmt.Sprintf("ended before its verdict: %v", p.cmd.ProcessState)
}

var errStillRunning = errors.New("it did not end after its input ended")

// finish closes the detector's input and waits until it ends. After grace it
// kills the detector and returns errStillRunning.
func (p *process) finish(grace time.Duration) error {
	p.ended = true
	p.stdin.Close()
	close(p.quit)
	timer := time.AfterFunc(grace, func() { subprocess.KillGroup(p.cmd.Process.Pid) })
	err := p.cmd.Wait()
	if !timer.Stop() {
		return errStillRunning
	}
	// Kill what it left running in its group.
	subprocess.KillGroup(p.cmd.Process.Pid)
	return err
}

// stop kills the detector and everything in its group. It does nothing if the
// detector was already waited for.
func (p *process) stop() {
	if p.ended {
		return
	}
	p.ended = true
	subprocess.KillGroup(p.cmd.Process.Pid)
	close(p.quit)
	p.stdin.Close()
	_ = p.cmd.Wait() // it was killed
}

// tailSize is how much of a detector's stderr is kept, in bytes.
const tailSize = 4 << 10
