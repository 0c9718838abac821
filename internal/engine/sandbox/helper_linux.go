package sandbox

import (
	"bufio"
	"context"
	"encoding/gob"
	"errors"
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/touchstone-eval/touchstone/internal/engine/reads"
)

// Only the administrator may create namespaces. Another user may in a user namespace, which
// a program with several threads cannot enter. A helper is this program, started again in a
// user namespace, in which it has the capabilities of the administrator over namespaces and
// over nothing else. It runs the stages, in the same way as the administrator's touchstone.

// helperWord is the only argument of a helper, and the name by which ps shows it.
const helperWord = "touchstone: runs stages in a user namespace"

func init() {
	if len(os.Args) == 1 && os.Args[0] == helperWord {
		help(os.Stdin, os.Stdout)
		os.Exit(0)
	}
}

// helperCapabilities are the capabilities of a helper. Stages have none.
var helperCapabilities = []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_SYS_CHROOT, unix.CAP_NET_ADMIN}

// order is a message to a helper, as gob, which keeps the bytes of paths and variables that are not UTF-8. The first
// one
// configures it.
type order struct {
	ID     int
	Hidden []string
	Lacks  map[string]bool
	Job    *Job // nil to cancel the job with this ID
}

// report is a message from a helper: that it is ready, or the end of a job.
type report struct {
	ID     int
	Result *Result
	Error  string
	// Disturbed reports whether the error is reads.ErrDisturbed.
	Disturbed bool
}

// help is what a helper does. It ends when its input ends, and the stages with it.
func help(in io.Reader, out io.Writer) {
	orders := gob.NewDecoder(bufio.NewReader(in))
	var config order
	if orders.Decode(&config) != nil {
		return
	}

	s := &Sandbox{hidden: config.Hidden}
	s.lacks, s.helps = config.Lacks, true
	if k, err := s.keepers.Acquire(); err != nil {
		return // the system grants user namespaces, but nothing in them
	} else if !s.keepers.Release(k) {
		return
	}

	var mu sync.Mutex
	answers := gob.NewEncoder(out)
	answer := func(r report) {
		mu.Lock()
		defer mu.Unlock()
		_ = answers.Encode(r)
	}
	answer(report{})
	running := map[int]context.CancelFunc{}
	for {
		var o order
		if orders.Decode(&o) != nil {
			return
		}

		if o.Job == nil {
			if cancel := running[o.ID]; cancel != nil {
				cancel()
			}

			continue
		}

		ctx, cancel := context.WithCancel(context.Background())
		running[o.ID] = cancel
		go func() {
			defer cancel()
			result, err := s.Run(ctx, o.Job)
			r := report{ID: o.ID, Result: result}
			if err != nil {
				r.Error, r.Disturbed = err.Error(), errors.Is(err, reads.ErrDisturbed)
			}

			answer(r)
		}()
	}
}

// helper is a running helper.
type helper struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	orders *gob.Encoder // to in

	mu      sync.Mutex
	last    int
	waiting map[int]chan report
	ended   error // why it does not answer anymore
}

// startHelper starts a helper. It fails if this system does not grant user namespaces, or
// nothing in them.
func (s *Sandbox) startHelper() (*helper, error) {
	uid, gid := os.Geteuid(), os.Getegid()
	h := &helper{waiting: map[int]chan report{}}
	h.cmd = &exec.Cmd{
		Path: "/proc/self/exe", Args: []string{helperWord}, Env: os.Environ(),
		SysProcAttr: &syscall.SysProcAttr{
			Cloneflags:  unix.CLONE_NEWUSER,
			UidMappings: []syscall.SysProcIDMap{{ContainerID: uid, HostID: uid, Size: 1}},
			GidMappings: []syscall.SysProcIDMap{{ContainerID: gid, HostID: gid, Size: 1}},
			AmbientCaps: helperCapabilities,
			Setpgid:     true, // this process passes on what its user interrupts
		},
	}
	var err error
	if h.in, err = h.cmd.StdinPipe(); err != nil {
		return nil, err
	}

	h.orders = gob.NewEncoder(h.in)
	out, err := h.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}

	if err := h.cmd.Start(); err != nil {
		return nil, err
	}

	reports := gob.NewDecoder(bufio.NewReader(out))
	var ready report
	if err = h.orders.Encode(order{Hidden: s.hidden, Lacks: s.lacks}); err == nil {
		err = reports.Decode(&ready)
	}

	if err != nil {
		_ = h.close()
		return nil, err
	}

	go h.listen(reports)
	return h, nil
}

// listen hands out reports until the helper ends.
func (h *helper) listen(reports *gob.Decoder) {
	for {
		var r report
		err := reports.Decode(&r)
		h.mu.Lock()
		if err != nil {
			h.ended = errors.New("the helper that runs stages in a user namespace has ended; run again, or with " +
				"--isolation off")
			for id, c := range h.waiting {
				c <- report{ID: id, Error: h.ended.Error()}
			}

			h.waiting = nil
			h.mu.Unlock()
			return
		}

		if c := h.waiting[r.ID]; c != nil {
			delete(h.waiting, r.ID)
			c <- r
		}

		h.mu.Unlock()
	}
}

// run runs a job, like Sandbox.Run.
func (h *helper) run(ctx context.Context, job *Job) (*Result, error) {
	c := make(chan report, 1)
	h.mu.Lock()
	if h.ended != nil {
		h.mu.Unlock()
		return nil, h.ended
	}

	h.last++
	id := h.last
	h.waiting[id] = c
	err := h.orders.Encode(order{ID: id, Job: job})
	h.mu.Unlock()
	if err != nil {
		return nil, err
	}

	var r report
	select {
	case r = <-c:
	case <-ctx.Done():
		h.mu.Lock()
		_ = h.orders.Encode(order{ID: id})
		h.mu.Unlock()
		r = <-c
	}

	switch {
	case r.Disturbed:
		return nil, reads.ErrDisturbed
	case r.Error != "":
		return nil, errors.New(r.Error)
	}

	return r.Result, nil
}

func (h *helper) close() error {
	h.in.Close()
	return h.cmd.Wait()
}

// withHelper returns the helper of a user who is not the administrator, or nil if stages
// run without one.
func (s *Sandbox) withHelper() *helper {
	if s.off || s.helps || s.lacks[enforcedProcesses] || os.Geteuid() == 0 {
		return nil
	}
	s.helping.Do(func() { s.helper, _ = s.startHelper() })
	return s.helper
}

// runInHelper runs a job in a helper, if stages need one. ran is whether it did.
func (s *Sandbox) runInHelper(ctx context.Context, job *Job) (result *Result, err error, ran bool) {
	h := s.withHelper()
	if h == nil {
		return nil, nil, false
	}
	result, err = h.run(ctx, job)
	return result, err, true
}

// dropHelped removes the capabilities of a helper from the processes that the calling
// thread starts.
func dropHelped() error {
	return unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0)
}
