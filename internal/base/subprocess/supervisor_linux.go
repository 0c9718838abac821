package subprocess

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A supervisor is this program, started again between the program that starts a server
// and the server. It is a subreaper: every descendant of the server whose parents have
// ended becomes its child, whatever group, session and environment it has. When the
// server ends, or the control pipe does, it kills all of them and ends like the server.

// supervisorWord is the first argument of a supervisor, and the name by which ps shows it.
// The path of the server's program and its arguments follow.
const supervisorWord = "touchstone: supervisor of"

// Files of a supervisor, besides those of the server.
const (
	controlFile = 3 + iota // its end is the order to kill everything
	statusFile             // one line: the process id of the server, or why it did not start
)

// Go initializes packages before main: this function runs before most of them, so that a
// supervisor starts fast.
func init() {
	if len(os.Args) > 2 && os.Args[0] == supervisorWord {
		supervise(os.Args[1], os.Args[2:])
	}
}

// supervise runs the server and does not return.
func supervise(path string, args []string) {
	status := os.NewFile(statusFile, "status")
	syscall.CloseOnExec(statusFile)
	syscall.CloseOnExec(controlFile)
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT)
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		refuseStart(status, err)
	}

	server, err := os.StartProcess(path, args, &os.ProcAttr{
		Files: []*os.File{os.Stdin, os.Stdout, os.Stderr}, Env: os.Environ(),
		// This function runs on the first thread, which ends with the process.
		Sys: &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL},
	})
	if err != nil {
		refuseStart(status, err)
	}

	letGo()
	fmt.Fprintln(status, server.Pid)
	status.Close()
	go func() {
		for s := range signals {
			_ = server.Signal(s)
		}
	}()
	go func() {
		_, _ = os.NewFile(controlFile, "control").Read(make([]byte, 1))
		KillGroup(server.Pid)
		_ = server.Kill()
	}()
	state, err := server.Wait()
	KillGroup(server.Pid)
	killDescendants()
	if err != nil {
		os.Exit(1)
	}

	endLike(state.Sys().(syscall.WaitStatus))
}

// refuseStart reports why the server did not start: the number of the error.
func refuseStart(status *os.File, err error) {
	var errno syscall.Errno
	errors.As(err, &errno)
	fmt.Fprintln(status, -int(errno))
	os.Exit(1)
}

// letGo closes the server's files in the supervisor, so that they end when the server
// closes them.
func letGo() {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return
	}
	for fd := range 3 {
		_ = unix.Dup3(int(null.Fd()), fd, 0)
	}
	null.Close()
}

// longestEnd limits the time to wait for killed processes. A process that hangs in the
// kernel, or that belongs to another user, may never end.
const longestEnd = 5 * time.Second

// killDescendants kills the children of this process until there are none: the children of
// a child become its own.
func killDescendants() {
	for end := time.Now().Add(longestEnd); time.Now().Before(end); {
		pid, err := unix.Wait4(-1, nil, unix.WNOHANG, nil)
		switch {
		case errors.Is(err, unix.ECHILD):
			return
		case pid > 0 || errors.Is(err, unix.EINTR):
			continue
		}

		for _, child := range children() {
			_ = unix.Kill(child, unix.SIGKILL)
		}

		time.Sleep(time.Millisecond)
	}
}

// children lists the children of this process.
func children() []int {
	self := []byte(strconv.Itoa(os.Getpid()))
	files, _ := filepath.Glob("/proc/[0-9]*/stat")
	var pids []int
	for _, file := range files {
		stat, err := os.ReadFile(file)
		if err != nil {
			continue
		}

		// The name of the program is in parentheses and may contain anything.
		rest := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
		if len(rest) < 2 || !bytes.Equal(rest[1], self) {
			continue
		}

		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file))); err == nil {
			pids = append(pids, pid)
		}
	}

	return pids
}

// endLike ends this process with the exit status or the signal of another.
func endLike(status syscall.WaitStatus) {
	if status.Signaled() {
		// Go has handlers for some signals, also after signal.Reset. The zero value is
		// the default action.
		var action [64]byte
		_, _, _ = unix.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(status.Signal()), uintptr(unsafe.Pointer(&action)), 0,
			8, 0, 0)
		// The signal of the server, not a second core dump.
		_ = unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{})
		_ = unix.Kill(os.Getpid(), status.Signal())
		time.Sleep(100 * time.Millisecond)
		syscall.Exit(128 + int(status.Signal()))
	}

	// With the race detector, os.Exit waits for a second, and the client with it.
	syscall.Exit(status.ExitStatus())
}
