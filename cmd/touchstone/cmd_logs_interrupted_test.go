//go:build unix

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/touchstone-eval/touchstone/internal/testing/program"
)

// A second signal ends the program, whatever it waits for: here for somebody who reads what it prints.
func TestASecondInterruptEndsTheProgram(t *testing.T) {
	dir := t.TempDir()
	writeText(t, filepath.Join(dir, "pipeline.hcl"),
		`stage "hang" { command = ["sh", "-c", "echo CONNECTING; sleep 600"] }`)
	unread, full, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer full.Close()
	defer unread.Close()
	work := filepath.Join(dir, "work")
	cmd := exec.Command(program.Path(t, program.Touchstone), "run", "--work-dir", work)
	cmd.Dir, cmd.Stderr = dir, full
	cmd.Env = append(os.Environ(), "TOUCHSTONE_CACHE="+filepath.Join(dir, "store"))
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill()
	for logs := []string{}; len(logs) == 0 || readText(logs[0]) != "CONNECTING\n"; time.Sleep(time.Millisecond) {
		logs, _ = filepath.Glob(filepath.Join(work, "run-*", "*", "stdout"))
	}
	go full.Write(make([]byte, 1<<20)) // more than a pipe takes
	for range 2 {
		time.Sleep(100 * time.Millisecond)
		if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
			t.Fatal(err)
		}
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case <-ended:
		if code := cmd.ProcessState.ExitCode(); code != 130 {
			t.Errorf("exit status %d", code)
		}
	case <-time.After(30 * time.Second):
		t.Error("it does not end")
	}
}

func readText(file string) string {
	b, _ := os.ReadFile(file)
	return string(b)
}

// The log of a stage that was interrupted is its last one: it is printed, kept and marked, also after an earlier run
// that succeeded. A second signal kills a stage that ignores the first.
func TestTheLogOfAnInterruptedStageIsKept(t *testing.T) {
	bin := program.Path(t, program.Touchstone)
	for name, tt := range map[string]struct {
		signals []syscall.Signal
		then    string
	}{
		"SIGTERM":      {[]syscall.Signal{syscall.SIGTERM}, "sleep 600"},
		"SIGINT":       {[]syscall.Signal{syscall.SIGINT}, "sleep 600"},
		"SIGINT twice": {[]syscall.Signal{syscall.SIGINT, syscall.SIGINT}, "trap '' TERM; sleep 600"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			work, store := filepath.Join(dir, "work"), filepath.Join(dir, "store")
			run := func(args ...string) (*exec.Cmd, *bytes.Buffer) {
				var out bytes.Buffer
				cmd := exec.Command(bin, args...)
				cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &out
				cmd.Env = append(os.Environ(), "TOUCHSTONE_CACHE="+store)
				return cmd, &out
			}
			writeText(t, filepath.Join(dir, "pipeline.hcl"), `variable "then" { default = "echo DONE > out/o" }
stage "hang" {
  outputs = { o = "out/o" }
  command = ["sh", "-c", "echo $0; ${var.then}", endswith(var.then, "sleep 600") ? "CONNECTING" : "EARLIER"]
}
`)
			cmd, out := run("run")
			if err := cmd.Run(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}

			cmd, out = run("run", "--var", "then="+tt.then, "--work-dir", work)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			defer cmd.Process.Kill()
			for {
				logs, _ := filepath.Glob(filepath.Join(work, "run-*", "*", "stdout"))
				if len(logs) == 1 && readText(logs[0]) == "CONNECTING\n" {
					break
				}
				time.Sleep(time.Millisecond)
			}
			for i, signal := range tt.signals {
				if i > 0 {
					time.Sleep(100 * time.Millisecond) // equal signals that wait together are one
				}

				if err := cmd.Process.Signal(signal); err != nil {
					t.Fatal(err)
				}
			}

			_ = cmd.Wait() // its exit status is checked
			if code := cmd.ProcessState.ExitCode(); code != 130 || !strings.Contains(out.String(), "hang | CONNECTING\n") ||
				!strings.Contains(out.String(), "hang was interrupted after") {
				t.Errorf("%s: %s", cmd.ProcessState, out)
			}

			cmd, out = run("logs", "hang")
			if err := cmd.Run(); err != nil || !strings.Contains(out.String(), "CONNECTING\n") ||
				!strings.Contains(out.String(), "the run was interrupted") || strings.Contains(out.String(), "EARLIER") {
				t.Errorf("logs: %v, %s", err, out)
			}
			cmd, out = run("logs", "--json", "hang")
			if err := cmd.Run(); err != nil || !strings.Contains(out.String(), `"interrupted": true`) {
				t.Errorf("logs --json: %v, %s", err, out)
			}
		})
	}
}
