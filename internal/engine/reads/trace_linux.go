package reads

import (
	"encoding/binary"
	"encoding/gob"
	"errors"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// recorderWord is the only argument of a recorder, and the name by which ps shows it.
const recorderWord = "touchstone: records what a stage reads"

// order tells a recorder what to start.
type order struct {
	Path      string
	Args, Env []string
	Own       []string
	Covered   string
}

// report is the answer of a recorder.
type report struct {
	Reads    []Read
	Complete bool
	// Unrecordable means ErrUnrecordable.
	Unrecordable bool
	// NotStarted is the number of the error if the program could not be executed. NotTraced is that of tracing.
	NotStarted, NotTraced int
}

// The file for the order and the report is the first one after the standard streams.
const exchange = 3

func init() {
	if len(os.Args) == 1 && os.Args[0] == recorderWord {
		os.Exit(record(os.NewFile(exchange, "exchange")))
	}
}

// record is what a recorder does. It returns the exit status of the stage as a shell does.
func record(file *os.File) int {
	runtime.LockOSThread() // the kernel lets only one thread trace
	unix.CloseOnExec(exchange)
	// Signals for the group of the stage are for the stage. Handlers are not inherited, unlike ignoring.
	signal.Notify(make(chan os.Signal, 1), unix.SIGINT, unix.SIGTERM, unix.SIGHUP, unix.SIGQUIT)
	// Without a handler of SIGCHLD, a process that stops sends none to this one.
	var action signalAction
	_, _, _ = unix.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(unix.SIGCHLD), uintptr(unsafe.Pointer(&action)), 0,
		signalSetSize, 0, 0)
	var o order
	if err := gob.NewDecoder(file).Decode(&o); err != nil {
		return exitNotExecuted
	}

	t := &tracer{paths: newPaths(o.Own, o.Covered)}
	status, r := t.run(&o)
	if _, err := file.Seek(0, 0); err != nil || file.Truncate(0) != nil || gob.NewEncoder(file).Encode(&r) != nil {
		_ = file.Truncate(0) // no report
	}

	return status
}

// tracer traces the processes of a stage.
type tracer struct {
	paths
	first        int // the first process
	unrecordable bool
}

const traceOptions = unix.PTRACE_O_EXITKILL | unix.PTRACE_O_TRACESECCOMP | unix.PTRACE_O_TRACEFORK |
	unix.PTRACE_O_TRACEVFORK | unix.PTRACE_O_TRACECLONE

func (t *tracer) run(o *order) (status int, r report) {
	p, err := newProgram(o.Path, o.Args, o.Env)
	var gate, failed [2]int
	if err == nil {
		err = errors.Join(unix.Pipe2(gate[:], unix.O_CLOEXEC), unix.Pipe2(failed[:], unix.O_CLOEXEC))
	}

	if err != nil {
		return exitNotExecuted, report{NotStarted: number(err)}
	}

	p.gate, p.report = gate[0], failed[1]
	if t.first, err = p.fork(); err != nil {
		return exitNotExecuted, report{NotStarted: number(err)}
	}

	runtime.KeepAlive(p)
	if err := ptrace(unix.PTRACE_SEIZE, t.first, 0, traceOptions); err != nil {
		_ = unix.Kill(t.first, unix.SIGKILL)
		return exitNotExecuted, report{NotTraced: number(err)}
	}

	_, _ = unix.Write(gate[1], []byte{0})
	_ = unix.Close(failed[1])
	status = t.loop()
	var b [2]byte
	if n, _ := unix.Read(failed[0], b[:]); n == len(b) {
		return status, report{NotStarted: int(binary.LittleEndian.Uint16(b[:]))}
	}

	return status, report{Reads: t.list(), Complete: !t.lost, Unrecordable: t.unrecordable}
}

// loop lets the processes run until the first one ends, and returns its exit status. The kernel kills the others when
// this process ends.
func (t *tracer) loop() int {
	for {
		var ws unix.WaitStatus
		pid, err := unix.Wait4(-1, &ws, unix.WALL, nil)
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			return exitNotExecuted
		case pid == t.first && ws.Exited():
			return ws.ExitStatus()
		case pid == t.first && ws.Signaled():
			return 128 + int(ws.Signal())
		case ws.Stopped():
			if t.stopped(pid, ws); t.unrecordable {
				return exitNotExecuted
			}
		}
	}
}

// stopped lets a stopped process continue. An error means that it was killed in the meantime.
func (t *tracer) stopped(pid int, ws unix.WaitStatus) {
	deliver := 0
	switch event := uint32(ws) >> 16; {
	case event == unix.PTRACE_EVENT_SECCOMP:
		t.call(pid)
	case event == unix.PTRACE_EVENT_STOP:
		switch ws.StopSignal() {
		case unix.SIGSTOP, unix.SIGTSTP, unix.SIGTTIN, unix.SIGTTOU:
			_ = ptrace(unix.PTRACE_LISTEN, pid, 0, 0) // it stays stopped until it is continued
			return
		}
	case event == 0:
		deliver = int(ws.StopSignal())
	}

	_ = ptrace(unix.PTRACE_CONT, pid, 0, uintptr(deliver))
}

// notice is struct ptrace_syscall_info of a call that a filter stopped.
type notice struct {
	_       [4]byte
	arch    uint32
	_       [2]uint64
	number  uint64
	args    [6]uint64
	_       [2]uint32
	process int // the process, or thread, that calls
}

// infoSize is the size of the fields of notice that the kernel fills.
const infoSize = unsafe.Offsetof(notice{}.process)

func (t *tracer) call(pid int) {
	n := &t.notice
	n.process = pid
	if ptrace(unix.PTRACE_GET_SYSCALL_INFO, pid, infoSize, uintptr(unsafe.Pointer(n))) != nil {
		return
	}

	t.unrecordable = t.called(n)
}

func ptrace(request, pid int, address, data uintptr) error {
	if _, _, errno := unix.RawSyscall6(unix.SYS_PTRACE, uintptr(request), uintptr(pid), address, data, 0, 0); errno != 0 {
		return errno
	}
	return nil
}

// number returns the number of a system's error, or that of EIO.
func number(err error) int {
	var errno syscall.Errno
	if errors.As(err, &errno) {
		return int(errno)
	}
	return int(unix.EIO)
}
