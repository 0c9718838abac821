//go:build unix

package process

import (
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// Both ways to keep open files from other processes reach a file that was inherited.
func TestInheritedFilesAreClosed(t *testing.T) {
	for name, closeOnExec := range map[string]func() bool{
		"in one call": closeAllOnExec, "listed": func() bool { closeListedOnExec(); return true },
	} {
		t.Run(name, func(t *testing.T) {
			f, err := os.Open(os.DevNull)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			if _, err := unix.FcntlInt(f.Fd(), unix.F_SETFD, 0); err != nil {
				t.Fatal(err)
			}
			if !closeOnExec() {
				t.Skip("this system has no call for it")
			}
			if flags, err := unix.FcntlInt(f.Fd(), unix.F_GETFD, 0); err != nil || flags&unix.FD_CLOEXEC == 0 {
				t.Errorf("a command gets the file: its flags are %#x, %v", flags, err)
			}
		})
	}
}
