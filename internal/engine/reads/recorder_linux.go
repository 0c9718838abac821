package reads

import (
	"encoding/gob"
	"errors"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"syscall"

	"golang.org/x/sys/unix"
)

// Recorder makes recordings. The zero value is ready to use. It is safe for concurrent use.
type Recorder struct{ refused atomic.Bool }

// Available reports whether the system can record, as far as that is known before the first recording. What a process
// starts that is itself traced cannot be traced by it.
func (r *Recorder) Available() bool {
	return architecture != 0 && !r.refused.Load() && !traced()
}

// traced reports whether another process traces this one.
func traced() bool {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return true // nothing can be recorded without /proc
	}
	_, after, _ := strings.Cut(string(text), "TracerPid:")
	line, _, _ := strings.Cut(after, "\n")
	return strings.TrimSpace(line) != "0"
}

// Self is the file of the recorder, which a stage must be able to execute.
const Self = "/proc/self/exe"

// Recording is the record of one stage.
type Recording struct {
	by    *Recorder
	order order
	file  *os.File // for the order and the report
}

// New returns a recording. own are directories whose files are not recorded, as the stage names them. What the program
// covered itself reads is not recorded either; it may be empty.
func (r *Recorder) New(own []string, covered string) *Recording {
	return &Recording{by: r, order: order{Own: own, Covered: covered}}
}

// Wrap makes a command that is not started yet one that the recorder starts.
func (rec *Recording) Wrap(cmd *exec.Cmd) error {
	fd, err := unix.MemfdCreate("touchstone-reads", unix.MFD_CLOEXEC)
	if err != nil {
		return os.NewSyscallError("memfd_create", err)
	}

	rec.file = os.NewFile(uintptr(fd), "touchstone-reads")
	rec.order.Path, rec.order.Args, rec.order.Env = cmd.Path, cmd.Args, cmd.Env
	if err := gob.NewEncoder(rec.file).Encode(&rec.order); err != nil {
		return err
	}

	if _, err := rec.file.Seek(0, 0); err != nil {
		return err
	}

	cmd.Path, cmd.Args, cmd.Env = Self, []string{recorderWord}, []string{"GOMAXPROCS=1"}
	cmd.ExtraFiles = []*os.File{rec.file}
	return nil
}

// End returns the record of a stage whose processes have ended. It is not complete if the stage ran programs with 32
// bits, changed what paths mean or read too many files, or if the system did not show the paths. The error is
// ErrUnrecordable, or that of starting the stage's program.
func (rec *Recording) End() (list []Read, complete bool, err error) {
	if rec.file == nil {
		return nil, false, nil // it was not started
	}

	defer rec.file.Close()
	var r report
	if _, err := rec.file.Seek(0, 0); err != nil || gob.NewDecoder(rec.file).Decode(&r) != nil {
		return nil, false, nil // the recorder was killed
	}

	switch {
	case r.NotTraced != 0:
		rec.by.refused.Store(true)
		return nil, false, errors.Join(ErrUnrecordable, syscall.Errno(r.NotTraced))
	case r.Unrecordable:
		return nil, false, ErrUnrecordable
	case r.NotStarted != 0:
		return nil, false, syscall.Errno(r.NotStarted)
	}

	return r.Reads, r.Complete, nil
}
