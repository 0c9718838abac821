package reads

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"sync"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// Recorder makes recordings. The zero value is ready to use. It is safe for concurrent use.
type Recorder struct {
	starter starter
	mu      sync.Mutex
	refused bool // the system refused a recording
}

// Available reports whether the system can record, as far as that is known before the first recording.
func (r *Recorder) Available() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return !r.refused && kernelRecords()
}

// kernelRecords reports whether the kernel tells of calls and can continue them.
var kernelRecords = sync.OnceValue(func() bool {
	var version unix.Utsname
	if architecture == 0 || unix.Uname(&version) != nil {
		return false
	}

	release := unix.ByteSliceToString(version.Release[:])
	major, rest, _ := strings.Cut(release, ".")
	minor, _, _ := strings.Cut(rest, ".")
	return number(major) > 5 || number(major) == 5 && number(minor) >= 5
})

// number reads the digits at the start of a text.
func number(text string) (n int) {
	for _, c := range text {
		if c < '0' || c > '9' {
			break
		}

		n = 10*n + int(c-'0')
	}
	return n
}

// Prepare must be called before Begin, on a thread that nothing restricts yet. start starts a process of this program
// that is not one of a stage.
func (r *Recorder) Prepare(start func(*exec.Cmd) error) error {
	if !r.Available() {
		return nil
	}
	return r.starter.start(start)
}

// Install restricts the calling thread, and the processes that it starts, with a filter of system calls. It returns the
// result of seccomp(2).
type Install func(filter []bpf.RawInstruction, flags uintptr) (int, error)

// Recording is the record of one stage.
type Recording struct {
	paths
	// giveBack is a socket from which the listener comes as soon as the stage's program is executed. stop is a pipe
	// whose end stops the recording.
	giveBack int
	stop     [2]int
	done     chan struct{}
}

// Begin makes the kernel tell of the calls of the processes that the calling thread starts. The thread must be locked,
// and cannot be used for anything but to start program. own are directories whose files are not recorded, as the stage
// and as this process name them. What the program covered itself reads is not recorded either; it may be empty. It
// returns nil if the system refuses.
func (r *Recorder) Begin(install Install, program, covered string, own []string) (*Recording, error) {
	if !r.Available() {
		return nil, nil
	}

	ends, err := pair()
	if err != nil {
		return nil, err
	}

	defer closeFiles(ends[1])
	rec := &Recording{paths: newPaths(own, covered), giveBack: ends[0], done: make(chan struct{})}
	if err := unix.Pipe2(rec.stop[:], unix.O_CLOEXEC); err != nil {
		closeFiles(ends[0])
		return nil, os.NewSyscallError("pipe", err)
	}

	fd, err := install(filter(), unix.SECCOMP_FILTER_FLAG_NEW_LISTENER|unix.SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV)
	if errors.Is(err, unix.EINVAL) { // Linux before 5.19 does not know the second flag
		fd, err = install(filter(), unix.SECCOMP_FILTER_FLAG_NEW_LISTENER)
	}

	if err != nil {
		rec.close()
		if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EBUSY) {
			// Another program listens to this one, or the kernel cannot.
			r.mu.Lock()
			defer r.mu.Unlock()
			r.refused = true
			return nil, nil
		}

		return nil, os.NewSyscallError("seccomp", err)
	}

	defer closeFiles(fd)
	if err := send(r.starter.socket, fd, ends[1]); err != nil {
		rec.close()
		return nil, os.NewSyscallError("sendmsg", err)
	}

	rec.executed(program, program) // the starter does not record it
	go rec.run()
	return rec, nil
}

// Close ends what the recorder keeps running between recordings.
func (r *Recorder) Close() { r.starter.close() }

// run records until the stage has ended.
func (rec *Recording) run() {
	defer close(rec.done)
	fds, ok := receive(rec.giveBack, 1)
	if !ok {
		return // the program was not started
	}

	l := listener(fds[0])
	defer closeFiles(fds[0])
	var n notice
	for l.next(&n, rec.stop[0]) {
		rec.called(&n)
		l.proceed(&n)
	}
}

// End ends the recording of a stage whose processes have ended, and returns it. It is not complete if the stage ran
// programs with 32 bits, changed what paths mean or read too many files, or if the system did not show the paths.
func (rec *Recording) End() (list []Read, complete bool) {
	closeFiles(rec.stop[1])
	_ = unix.Shutdown(rec.giveBack, unix.SHUT_RDWR)
	<-rec.done
	closeFiles(rec.stop[0], rec.giveBack)
	return rec.list(), !rec.lost
}

func (rec *Recording) close() { closeFiles(rec.stop[0], rec.stop[1], rec.giveBack) }

// closeFiles closes files that nothing was written to, so that an error says nothing.
func closeFiles(fds ...int) {
	for _, fd := range fds {
		_ = unix.Close(fd)
	}
}
