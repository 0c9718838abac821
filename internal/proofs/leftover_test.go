package proofs

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
)

// A process that a stage started in its own session survives a kill -9 of touchstone. The next run
// kills it, and so does a collection of garbage. Both remove its directory.
func TestProcessesOfAKilledRunEndWithTheNext(t *testing.T) {
	for _, next := range [][]string{{"run"}, {"cache", "gc"}} {
		t.Run(strings.Join(next, " "), func(t *testing.T) { leaveAndSweep(t, next) })
	}
}

// leaveAndSweep kills a run whose stage left a process, and runs the next command.
func leaveAndSweep(t *testing.T, next []string) {
	if _, err := exec.LookPath("setsid"); err != nil || runtime.GOOS != "linux" {
		t.Skip("needs setsid on Linux")
	}
	b := newBench(t, t.TempDir())
	b.vars = nil
	b.write("pipeline.hcl", []byte(`pipeline { name = "leftover" }
stage "leaves" {
  outputs = { o = "out/o" }
  command = ["sh", "-c", "setsid sh -c 'echo $$ > new; mv new pid; sleep 300' & wait"]
}
`))
	cmd := b.command("run")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var pid int
	for end := time.Now().Add(5 * time.Minute); pid == 0; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the stage never began")
		}
		if files, _ := filepath.Glob(filepath.Join(b.store, "work/run-*/stage-*/box/pid")); len(files) == 1 {
			text, err := os.ReadFile(files[0])
			if err != nil {
				t.Fatal(err)
			}
			if pid, err = strconv.Atoi(strings.TrimSpace(string(text))); err != nil {
				t.Fatal(err)
			}
		}
	}
	t.Cleanup(func() {
		if p, err := os.FindProcess(pid); err == nil {
			_ = p.Kill()
		}
	})
	_ = cmd.Process.Kill()
	_ = cmd.Wait()

	b.write("pipeline.hcl", []byte(`pipeline { name = "next" }
stage "s" {
  outputs = { o = "out/o" }
  command = ["sh", "-c", "echo > out/o"]
}
`))
	b.want(0, next...)
	if left, _ := filepath.Glob(filepath.Join(b.store, "work/run-*")); len(left) > 0 {
		t.Errorf("%v is left", left)
	}
	for end := time.Now().Add(5 * time.Minute); ; time.Sleep(10 * time.Millisecond) {
		stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		if errors.Is(err, os.ErrNotExist) || strings.Contains(string(stat), ") Z ") {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("process %d of the killed run is still there", pid)
		}
	}
}
