package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// traceVerb makes this program trace another program. A process traces all of its
// children in one thread, so each trace is a process of its own.
const traceVerb = "trace"

// plan says what happens at which of the traced system calls, counted over all processes.
// At 0, nothing happens.
type plan struct {
	At    int           `json:"at"`
	Kill  string        `json:"kill"`  // process, group or empty
	Errno syscall.Errno `json:"errno"` // the error of the system call, or 0
	Clock uint64        `json:"clock"` // the seed of a clock that jumps, or 0
}

// traced is the end of a traced program.
type traced struct {
	Calls int    `json:"calls"` // the traced system calls
	Did   string `json:"did"`   // what happened, or empty
	Jumps int    `json:"jumps"` // of the clock
	Exit  int    `json:"exit"`  // -1 if a signal ended it
	Stuck int    `json:"stuck"` // processes that were still there settleLimit after the first had ended
}

// settleLimit is the time that the other processes of a program have to end after it.
const settleLimit = 10 * time.Second

// trace runs the program under a plan.
func (s *subject) trace(ctx context.Context, p plan, args ...string) (traced, result, error) {
	text, err := json.Marshal(p)
	if err != nil {
		return traced{}, result{}, err
	}

	self, err := os.Executable()
	if err != nil {
		return traced{}, result{}, err
	}

	file := filepath.Join(s.dir, "trace.json")
	os.Remove(file)
	// The tracer keeps the user of this process. It changes that of the program.
	own := *s
	own.as = -1
	r := own.finish(ctx, self, append([]string{traceVerb, file, strconv.Itoa(s.as), string(text), s.tool}, args...)...)
	var t traced
	b, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(b, &t)
	}

	if r.hung || ctx.Err() != nil {
		err = nil
	}

	if err != nil {
		err = fmt.Errorf("the tracer failed: %w: %s", err, r.output)
	}

	return t, r, err
}

func traceMain(args []string) {
	runtime.LockOSThread()
	var p plan
	as, err := strconv.Atoi(args[1])
	if err == nil {
		err = json.Unmarshal([]byte(args[2]), &p)
	}

	var t traced
	if err == nil {
		t, err = follow(p, as, args[3:])
	}

	var b []byte
	if err == nil {
		b, err = json.Marshal(t)
	}

	if err == nil {
		err = os.WriteFile(args[0], b, 0o644)
	}

	if err != nil {
		fmt.Fprintln(os.Stderr, "campaigns:", err)
		os.Exit(125)
	}

	os.Exit(0)
}

// tracer follows a program and all processes that it starts.
type tracer struct {
	plan   plan
	clock  *wrongClock // or nil
	main   int
	alive  map[int]bool // traced threads
	result traced
}

const traceOptions = unix.PTRACE_O_TRACECLONE | unix.PTRACE_O_TRACEFORK | unix.PTRACE_O_TRACEVFORK |
	unix.PTRACE_O_TRACEEXEC | unix.PTRACE_O_TRACESECCOMP | unix.PTRACE_O_EXITKILL

func follow(p plan, as int, args []string) (traced, error) {
	self, err := os.Executable()
	if err != nil {
		return traced{}, err
	}

	attributes := &syscall.SysProcAttr{Ptrace: true, Setpgid: true}
	if as >= 0 {
		attributes.Credential = &syscall.Credential{Uid: uint32(as), Gid: uint32(as)}
	}

	pid, err := syscall.ForkExec(self, append([]string{self, launchVerb}, args...), &syscall.ProcAttr{
		Env: os.Environ(), Files: []uintptr{0, 1, 2}, Sys: attributes,
	})
	if err != nil {
		return traced{}, err
	}

	var status unix.WaitStatus
	if _, err := unix.Wait4(pid, &status, unix.WALL, nil); err != nil {
		return traced{}, err
	}

	if err := unix.PtraceSetOptions(pid, traceOptions); err != nil {
		return traced{}, err
	}

	if err := unix.PtraceCont(pid, 0); err != nil {
		return traced{}, err
	}

	t := &tracer{plan: p, main: pid, alive: map[int]bool{pid: true}}
	if p.Clock != 0 {
		t.clock = &wrongClock{random: rand.New(rand.NewPCG(p.Clock, 0))}
	}

	err = t.wait(&t.result)
	return t.result, err
}

// wait handles the stops of all threads until none is left.
func (t *tracer) wait(result *traced) error {
	var ended time.Time // when the main process ended
	for len(t.alive) > 0 {
		var status unix.WaitStatus
		options := unix.WALL
		if !ended.IsZero() {
			options |= unix.WNOHANG
		}

		pid, err := unix.Wait4(-1, &status, options, nil)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case errors.Is(err, unix.ECHILD):
			return nil
		case err != nil:
			return fmt.Errorf("wait4: %w", err)
		case pid == 0 && time.Since(ended) > settleLimit:
			result.Stuck = t.processes()
			return nil // the kernel kills them with this process
		case pid == 0:
			time.Sleep(5 * time.Millisecond)
			continue
		}

		if status.Exited() || status.Signaled() {
			delete(t.alive, pid)
			if pid == t.main {
				result.Exit = status.ExitStatus()
				ended = time.Now()
			}

			continue
		}

		t.alive[pid] = true
		t.stopped(pid, status, result)
	}

	return nil
}

// processes counts the processes that are alive, not their threads.
func (t *tracer) processes() int {
	n := 0
	for pid := range t.alive {
		b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
		if err == nil && strings.Contains(string(b), fmt.Sprintf("\nTgid:\t%d\n", pid)) &&
			!strings.Contains(string(b), "\nState:\tZ") {
			n++
		}
	}
	return n
}

// stopped handles one stop and lets the thread go on.
func (t *tracer) stopped(pid int, status unix.WaitStatus, result *traced) {
	signal := 0
	if status.StopSignal() == unix.SIGTRAP && status.TrapCause() > 0 {
		switch status.TrapCause() {
		case unix.PTRACE_EVENT_SECCOMP:
			t.call(pid, result)
		case unix.PTRACE_EVENT_EXEC:
			if t.clock != nil {
				_ = hideVDSO(pid) // a thread that was killed cannot be changed
			}
		}
	} else if s := status.StopSignal(); s != unix.SIGTRAP && s != unix.SIGSTOP {
		signal = int(s)
	}

	// A thread that was killed cannot be continued. Its end follows.
	_ = unix.PtraceCont(pid, signal)
}

// call counts a system call and does what the plan says.
func (t *tracer) call(pid int, result *traced) {
	var regs unix.PtraceRegs
	if unix.PtraceGetRegs(pid, &regs) != nil {
		return
	}

	nr := int(numberOf(&regs))
	if nr == unix.SYS_CLOCK_GETTIME {
		if t.clock != nil {
			t.answer(pid, &regs, result)
		}

		return
	}

	if !t.counts(pid, nr, &regs) {
		return
	}

	result.Calls++
	if result.Calls != t.plan.At {
		return
	}

	result.Did = fmt.Sprintf("system call %d, the %dth of %s", nr, t.plan.At, programOf(pid))
	switch {
	case t.plan.Kill == "process":
		_ = unix.Kill(t.main, unix.SIGKILL)
	case t.plan.Kill == "group":
		_ = unix.Kill(-t.main, unix.SIGKILL)
		for other := range t.alive { // stages have groups of their own
			_ = unix.Kill(other, unix.SIGKILL)
		}
	case t.plan.Errno != 0:
		fail(&regs, t.plan.Errno)
		_ = unix.PtraceSetRegs(pid, &regs)
	}
}

// counts reports whether a system call is one that the plan counts: writes only to files,
// and with EMFILE only those that make a descriptor.
func (t *tracer) counts(pid, nr int, regs *unix.PtraceRegs) bool {
	if slices.Contains(opens, nr) {
		return nr != unix.SYS_FCNTL &&
			(t.plan.Errno == 0 || t.plan.Errno == unix.EMFILE || nr == unix.SYS_OPENAT && creates(regs))
	}

	if t.plan.Errno == unix.EMFILE {
		return false
	}

	if slices.Contains(paths, nr) {
		return true
	}

	file, err := os.Readlink(fmt.Sprintf("/proc/%d/fd/%d", pid, firstArgument(regs)))
	return err == nil && strings.HasPrefix(file, "/") && !strings.HasPrefix(file, "/dev/") &&
		!strings.HasPrefix(file, "/proc/")
}

// creates reports whether openat creates a file.
func creates(regs *unix.PtraceRegs) bool { return thirdArgument(regs)&unix.O_CREAT != 0 }

// programOf names the program of a process.
func programOf(pid int) string {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid))
	return strings.TrimSpace(string(b))
}
