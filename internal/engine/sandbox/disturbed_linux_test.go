package sandbox

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"strconv"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/touchstone-eval/touchstone/internal/engine/reads"
)

func init() { acts["interrupted"] = interrupted }

// interrupted asks for the status of a file while signals arrive, and fails if a call failed because of one. flags are
// the flags that the handler of the signal has in addition to those that Go needs, or -1 for no signals.
func interrupted(flags string) error {
	n, err := strconv.Atoi(flags)
	if err != nil {
		return err
	}
	if n >= 0 {
		signal.Notify(make(chan os.Signal, 1), unix.SIGALRM)
		var action struct {
			handler, flags, restorer uintptr
			mask                     uint64
		}
		at := uintptr(unsafe.Pointer(&action))
		if _, _, errno := unix.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(unix.SIGALRM), 0, at, 8, 0, 0); errno != 0 {
			return errno
		}
		const restarts = 0x10000000
		action.flags = action.flags&^restarts | uintptr(n)
		if _, _, errno := unix.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(unix.SIGALRM), at, 0, 8, 0, 0); errno != 0 {
			return errno
		}
		runtime.LockOSThread()
		thread := unix.Gettid()
		go func() {
			for {
				_ = unix.Tgkill(os.Getpid(), thread, unix.SIGALRM)
				time.Sleep(200 * time.Microsecond)
			}
		}()
	}
	failed := 0
	var st unix.Stat_t
	for range 20_000 {
		if errors.Is(unix.Stat("/etc/hostname", &st), unix.EINTR) {
			failed++
		}
	}
	if failed > 0 {
		return fmt.Errorf("%d calls failed", failed)
	}
	return nil
}

// A signal whose handler does not restart calls makes a call fail that waits to be recorded. Such a stage must be
// reported, so that its results are not used. A stage without signals, or with a handler that restarts calls, must not.
func TestReadsOfADisturbedStage(t *testing.T) {
	s := New()
	defer s.Close()
	if !s.Records() {
		t.Skip("this system cannot record what a stage reads")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	const restarts = 0x10000000
	for flags, want := range map[int]error{-1: nil, 0: reads.ErrDisturbed, restarts: nil} {
		job := declares(NoNetwork, self, "act", "interrupted", strconv.Itoa(flags))
		job.Record = true
		if r, err := tryStage(t, s, job); !errors.Is(err, want) || err == nil && r.ExitCode != 0 {
			t.Errorf("with flags %#x: %+v, %v, want %v", flags, r, err, want)
		}
		job.Record = false
		if r, err := tryStage(t, s, job); err != nil || r.ExitCode != 0 {
			t.Errorf("without a record, calls fail: %+v, %v", r, err)
		}
	}
}
