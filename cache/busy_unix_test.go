//go:build unix

package cache

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
)

// A program can be started as soon as it is written, also while this process starts others.
func TestProgramsAreNotBusy(t *testing.T) {
	s := newStore(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	d, _, err := s.PutFile(self)
	if err != nil {
		t.Fatal(err)
	}
	stop := make(chan struct{})
	var others sync.WaitGroup
	defer others.Wait()
	defer close(stop)
	for range 4 {
		others.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					_ = exec.Command("/bin/sh", "-c", ":").Run()
				}
			}
		})
	}
	dir := t.TempDir()
	for range 20 {
		path := filepath.Join(dir, "program")
		if err := s.Materialize(d, path, 0o555); err != nil {
			t.Fatal(err)
		}
		if err := exec.Command(path, "-test.run", "^$").Run(); err != nil {
			t.Fatalf("it cannot be started (busy: %t): %v", errors.Is(err, syscall.ETXTBSY), err)
		}
	}
}
