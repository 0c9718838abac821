package reads

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// Recorder makes recordings. The zero value is ready to use. It is safe for concurrent use.
type Recorder struct {
	starter starter
	refused atomic.Bool // the system refused a recording
}

// Unavailable returns the reason why the system cannot record, or "" if it can, as far as that is known before the
// first recording.
func (r *Recorder) Unavailable() string {
	if r.refused.Load() {
		return "the system refuses it: another program listens to the calls of this one, or a container denies it"
	}
	return ownKernel()
}

// ownKernel is the reason of the kernel of this machine.
var ownKernel = sync.OnceValue(func() string {
	var version unix.Utsname
	if architecture == 0 {
		return "it needs a processor of the kind amd64 or arm64"
	}
	_ = unix.Uname(&version) // a version that is not known is an old one
	return kernelLacks(unix.ByteSliceToString(version.Release[:]))
})

// kernelLacks returns the reason why a version of Linux cannot record, or "": 5.5 tells of calls and can continue them.
func kernelLacks(release string) string {
	var major, minor int
	_, _ = fmt.Sscanf(release, "%d.%d", &major, &minor)
	if major > 5 || major == 5 && minor >= 5 {
		return ""
	}
	return "it needs Linux 5.5 or later, and this is " + release
}

// Prepare must be called before Begin, on a thread that nothing restricts yet. start starts a process of this program
// that is not one of a stage.
func (r *Recorder) Prepare(start func(*exec.Cmd) error) error { return r.starter.start(start) }

// Install restricts the calling thread, and the processes that it starts, with a filter of system calls. It returns the
// result of seccomp(2).
type Install func(filter []bpf.RawInstruction, flags uintptr) (int, error)

// Recording is the record of one stage.
type Recording struct {
	collector
	// giveBack is a socket from which the listener comes as soon as the stage's program is executed.
	giveBack int
	done     chan struct{}
}

// Begin makes the kernel tell of the calls of the processes that the calling thread starts. The thread must be locked,
// and cannot be used for anything but to start program and to call Recording.Mark. named is another path of the
// program, such as a link to it, or empty. own are directories whose files are
// not recorded, as the stage and as this process name them. What the program covered itself reads is not recorded
// either; it may be empty. The result is nil if the system refuses.
func (r *Recorder) Begin(install Install, program, named, covered string, own []string) (*Recording, error) {
	ends, err := pair()
	if err != nil {
		return nil, err
	}

	defer closeFiles(ends[1])
	rec := &Recording{giveBack: ends[0], done: make(chan struct{})}
	rec.paths, rec.marker = newPaths(own, covered), unix.Gettid()
	// The starter records nothing. After the filter is installed, each call of this thread waits for the starter.
	rec.begin(program, named)
	fd, err := install(filter(), unix.SECCOMP_FILTER_FLAG_NEW_LISTENER|unix.SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV)
	if errors.Is(err, unix.EINVAL) { // Linux before 5.19 does not know the second flag
		fd, err = install(filter(), unix.SECCOMP_FILTER_FLAG_NEW_LISTENER)
	}

	if err != nil {
		closeFiles(ends[0])
		if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EBUSY) {
			r.refused.Store(true) // another program listens to this one, or the kernel cannot
			return nil, nil
		}

		return nil, os.NewSyscallError("seccomp", err)
	}

	err = r.starter.hand(fd, ends[1])
	// If the starter is killed, nobody holds the listener, and calls fail instead of waiting forever.
	closeFiles(fd)
	if err != nil {
		closeFiles(ends[0])
		return nil, fmt.Errorf("%w: the starter was killed: %w", ErrDisturbed, err)
	}

	go rec.run()
	return rec, nil
}

// Close ends what the recorder keeps running between recordings.
func (r *Recorder) Close() { r.starter.close() }

// run records until the mark.
func (rec *Recording) run() {
	defer close(rec.done)
	fds, ok := receive(rec.giveBack, 1)
	if !ok {
		return // the program was not started
	}

	rec.listener = listener(fds[0])
	defer closeFiles(fds[0])
	rec.serve()
}

// Mark marks the end of the stage. It must be called on the thread that called Begin, when the first process of the
// stage has ended or could not be started.
func (rec *Recording) Mark() {
	for range 2 {
		// It fails, since it has no path.
		_, _, _ = unix.Syscall(unix.SYS_CHROOT, 0, 0, 0)
	}
}

// End returns the record of a stage after Mark. It is not complete if the stage ran programs with 32 bits, changed what
// paths mean or read too many files, or if the system did not show the paths. The error is ErrDisturbed.
func (rec *Recording) End() (list []Read, complete bool, err error) {
	_ = unix.Shutdown(rec.giveBack, unix.SHUT_RDWR)
	<-rec.done
	closeFiles(rec.giveBack)
	if rec.disturbed {
		return nil, false, ErrDisturbed
	}

	return rec.list(), !rec.lost, nil
}

// closeFiles closes files that nothing was written to, so that an error says nothing.
func closeFiles(fds ...int) {
	for _, fd := range fds {
		_ = unix.Close(fd)
	}
}
