package keeper

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Pool holds the keepers that no stage uses. The zero value is ready to use. It is safe
// for concurrent use.
type Pool struct {
	mu      sync.Mutex
	spare   []*Keeper
	refused error
	plain   bool // the system refuses roots
}

// Keeper is the first process of a PID namespace.
type Keeper struct {
	cmd  *exec.Cmd
	in   *os.File // the end of the keeper's input that is written to
	out  *os.File
	self int // a file descriptor of the process, to enter its namespaces
	// Placed reports whether its namespace has the directory Place.
	Placed bool
}

// ErrRefused means that this process may not create the namespaces.
var ErrRefused = errors.New("PID namespaces are not permitted")

// Acquire returns a keeper whose namespace is empty. The error is ErrRefused if this process
// may not have one.
func (p *Pool) Acquire() (*Keeper, error) {
	p.mu.Lock()
	if n := len(p.spare); n > 0 {
		k := p.spare[n-1]
		p.spare = p.spare[:n-1]
		p.mu.Unlock()
		return k, nil
	}

	refused, plain := p.refused, p.plain
	p.mu.Unlock()
	if refused != nil {
		return nil, refused
	}

	k, err := start(!plain)
	if err != nil && !plain {
		if k, err = start(false); err == nil {
			p.mu.Lock()
			p.plain = true
			p.mu.Unlock()
		}
	}

	if err != nil {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.refused = fmt.Errorf("%w: %w", ErrRefused, err)
		return nil, p.refused
	}

	return k, nil
}

// start starts a keeper, with a root of its own if placed is set.
func start(placed bool) (*Keeper, error) {
	childIn, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}

	out, childOut, err := os.Pipe()
	if err != nil {
		childIn.Close()
		in.Close()
		return nil, err
	}

	var message bytes.Buffer
	k := &Keeper{in: in, out: out, self: -1, Placed: placed}
	env := []string{"GOMAXPROCS=1"}
	if !placed {
		env = append(env, plain+"=1")
	}

	k.cmd = &exec.Cmd{
		Path: "/proc/self/exe", Args: []string{word}, Dir: "/", Env: env,
		Stdin: childIn, Stdout: childOut, Stderr: &message,
		SysProcAttr: &syscall.SysProcAttr{
			Cloneflags: unix.CLONE_NEWPID | unix.CLONE_NEWNS | unix.CLONE_NEWIPC,
			Setpgid:    true, // a signal of the terminal is not for it
		},
	}
	err = k.cmd.Start()
	childIn.Close()
	childOut.Close()
	if err != nil {
		in.Close()
		out.Close()
		return nil, err
	}

	if err := k.answered(ready); err != nil {
		k.Close()
		return nil, fmt.Errorf("%w: %s", err, message.String())
	}

	if k.self, err = unix.PidfdOpen(k.cmd.Process.Pid, 0); err != nil {
		k.Close()
		return nil, err
	}

	return k, nil
}

// answerTimeout limits the time for an answer. A process that hangs in the kernel may never
// end.
const answerTimeout = 10 * time.Second

// answered reads the keeper's next answer.
func (k *Keeper) answered(want byte) error {
	_ = k.out.SetReadDeadline(time.Now().Add(answerTimeout))
	var b [1]byte
	switch n, err := k.out.Read(b[:]); {
	case err != nil:
		return fmt.Errorf("the first process of a sandbox does not answer: %w", err)
	case n != 1 || b[0] != want:
		return fmt.Errorf("the first process of a sandbox answers %q", b[:n])
	}
	return nil
}

// Enter moves the calling thread into the keeper's mount namespace, and the processes
// that it starts into its PID namespace too. The thread must be locked, and cannot be used
// for anything else afterwards.
func (k *Keeper) Enter() error {
	if err := unix.Unshare(unix.CLONE_FS); err != nil {
		return os.NewSyscallError("unshare", err)
	}
	return os.NewSyscallError("setns", unix.Setns(k.self, unix.CLONE_NEWPID|unix.CLONE_NEWNS))
}

// Release ends everything in the namespace and takes the keeper back. It reports whether it
// is certain that nothing is left.
func (p *Pool) Release(k *Keeper) bool {
	if _, err := k.in.Write([]byte{clean}); err != nil || k.answered(clean) != nil {
		return k.Close()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.spare = append(p.spare, k)
	return true
}

// Close ends the keeper, and with it everything in its namespace. It reports whether it is
// certain that nothing is left: the kernel ends the first process of a namespace after all
// others.
func (k *Keeper) Close() bool {
	k.in.Close()
	_ = k.cmd.Process.Kill()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = k.cmd.Wait()
		k.out.Close()
		if k.self >= 0 {
			_ = unix.Close(k.self)
		}
	}()
	select {
	case <-ended:
		return true
	case <-time.After(answerTimeout):
		return false
	}
}

// Spare returns the number of keepers that no stage uses.
func (p *Pool) Spare() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.spare)
}

// Close ends the spare keepers.
func (p *Pool) Close() {
	p.mu.Lock()
	spare := p.spare
	p.spare = nil
	p.mu.Unlock()
	for _, k := range spare {
		k.Close()
	}
}
