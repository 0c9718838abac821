//go:build unix

package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/touchstone-eval/touchstone/internal/testing/program"
)

// One signal ends a scan that waits for a pipe: before somebody opens its other end,
// and after.
func TestScanOfPipeEnds(t *testing.T) {
	bin := program.Path(t, program.Touchstone)
	for name, signal := range map[string]syscall.Signal{"SIGTERM": syscall.SIGTERM, "SIGINT": syscall.SIGINT} {
		t.Run(name, func(t *testing.T) {
			pipe := filepath.Join(t.TempDir(), "pipe.json")
			if err := syscall.Mkfifo(pipe, 0o600); err != nil {
				t.Skip(err)
			}
			var stderr bytes.Buffer
			cmd := exec.Command(bin, "scan", pipe)
			cmd.Stderr = &stderr
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			defer cmd.Process.Kill()
			// The pipe can be opened without waiting as soon as the scan reads it.
			var w *os.File
			for {
				var err error
				if w, err = os.OpenFile(pipe, os.O_WRONLY|syscall.O_NONBLOCK, 0); err == nil {
					break
				}
				if !errors.Is(err, syscall.ENXIO) {
					t.Fatal(err)
				}
				time.Sleep(time.Millisecond)
			}
			defer w.Close()
			if err := cmd.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait() // the test below is of its result
			if code := cmd.ProcessState.ExitCode(); code != 130 || !strings.Contains(stderr.String(), "interrupt") {
				t.Errorf("%s: %s", cmd.ProcessState, &stderr)
			}
		})
	}
}
