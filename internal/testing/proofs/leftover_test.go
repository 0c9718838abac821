package proofs

import (
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
// kills it, and so does a collection of garbage. Both remove its directory. In a PID namespace it
// does not survive.
func TestProcessesOfAKilledRunEndWithTheNext(t *testing.T) {
	for _, next := range [][]string{{"run"}, {"cache", "gc"}} {
		for _, isolation := range []string{"auto", "off"} {
			t.Run(strings.Join(next, " ")+" "+isolation, func(t *testing.T) { leaveAndSweep(t, isolation, next) })
		}
	}
}

// leaveAndSweep kills a run whose stage left a process, and runs the next command.
func leaveAndSweep(t *testing.T, isolation string, next []string) {
	if _, err := exec.LookPath("setsid"); err != nil || runtime.GOOS != "linux" {
		t.Skip("needs setsid on Linux")
	}
	b := newBench(t, t.TempDir())
	b.vars = nil
	b.write("pipeline.hcl", []byte(`pipeline { name = "leftover" }
stage "leaves" {
  env     = { LEFT_IN = "`+b.store+`" }
  outputs = { o = "out/o" }
  command = ["sh", "-c", "setsid sh -c 'echo $$ > new; mv new pid; sleep 300' & wait"]
}
`))
	cmd := b.command("run", "--isolation", isolation)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(5 * time.Minute); ; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the stage never began")
		}
		if files, _ := filepath.Glob(filepath.Join(b.store, "work/run-*/stage-*/stage/pid")); len(files) == 1 {
			break
		}
	}
	if len(stageProcesses(b.store)) == 0 {
		t.Fatal("the stage's processes are not found")
	}
	t.Cleanup(func() {
		for _, pid := range stageProcesses(b.store) {
			if p, err := os.FindProcess(pid); err == nil {
				_ = p.Kill()
			}
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
	for end := time.Now().Add(time.Minute); len(stageProcesses(b.store)) > 0; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("processes %v of the killed run are still there", stageProcesses(b.store))
		}
	}
}

// stageProcesses lists the processes of the stage, which has the store in its environment: its TMPDIR
// is the same for every stage if it has namespaces. A stage in a PID namespace does not know these
// ids.
func stageProcesses(store string) (pids []int) {
	files, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, file := range files {
		env, err := os.ReadFile(file)
		if err != nil || !strings.Contains("\x00"+string(env), "\x00LEFT_IN="+store+"\x00") {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file))); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}
