package engine_test

import (
	"context"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/touchstone-eval/touchstone/cache"
	"github.com/touchstone-eval/touchstone/internal/engine"
	"github.com/touchstone-eval/touchstone/pipeline"
)

// failing returns an instance with a file, a directory and an output that it never
// writes.
func failing(script string) *pipeline.Instance {
	in := sh("test", script)
	in.Outputs = []pipeline.Output{
		{Name: "absent", Path: "out/absent"}, {Name: "junit", Path: "out/junit.xml"}, {Name: "shots", Path: "out/shots", Dir: true},
	}
	return in
}

// The outputs of a failed stage are kept with its logs. They are never a hit, and are
// removed with the logs.
func TestOutputsOfAFailedStage(t *testing.T) {
	w := newWorld(t)
	w.env["API"] = "s3cr3t-value"
	in := failing("mkdir -p out/shots/a; echo '<failure/>' \"$TOKEN\" > out/junit.xml; echo 1 > out/shots/a/1.png; exit 3")
	in.Secrets = []pipeline.Secret{{Name: "TOKEN", From: "env:API"}}
	plan := w.plan(in, after(sh("report", "cp in/u out/result"), "u", 0))
	plan.Instances[1].Inputs[0].From[0].From.Output = "junit"
	for range 2 { // the second run must not find a result
		outcomes, _, err := w.run(plan, engine.RunOptions{KeepGoing: true})
		if err == nil || initials(outcomes) != "FS" || len(outcomes[0].Outputs) != 0 || len(outcomes[0].Failed.Outputs) != 2 {
			t.Fatalf("%s, %+v, %v", initials(outcomes), outcomes[0].Failed, err)
		}
	}
	if outcomes, err := w.engine.Evaluate(t.Context(), plan); err != nil || initials(outcomes) != "MW" {
		t.Errorf("%s, %v", initials(outcomes), err)
	}
	logs, err := w.engine.Logs(t.Context(), plan, "test")
	if err != nil || len(logs) != 1 || len(logs[0].Failed.Outputs) != 2 || len(logs[0].Failed.NotKept) != 0 {
		t.Fatalf("%+v, %v", logs, err)
	}
	// They survive a collection of unreferenced blobs.
	if _, err := w.store.GC(t.Context(), cache.GCOptions{}); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	var copies []engine.Copy
	for _, out := range logs[0].Failed.Outputs {
		copies = append(copies, engine.Copy{Output: out, Path: path.Clean(out.Path)})
	}
	if err := w.engine.CopyOutputs(copies, dir); err != nil {
		t.Error(err)
	}
	if b, _ := os.ReadFile(filepath.Join(dir, "out/junit.xml")); string(b) != "<failure/> [secret]\n" {
		t.Errorf("junit.xml holds %q", b)
	}
	if b, _ := os.ReadFile(filepath.Join(dir, "out/shots/a/1.png")); string(b) != "1\n" {
		t.Errorf("1.png holds %q", b)
	}
}

// scripted is an executor that calls a function of the test.
type scripted func(job *engine.Job) (*engine.Result, error)

func (scripted) Name() string { return "scripted" }

func (f scripted) Run(_ context.Context, job *engine.Job) (*engine.Result, error) { return f(job) }

func TestOutputsOfATimedOutStage(t *testing.T) {
	w := newWorld(t)
	w.engine.Executor = scripted(func(job *engine.Job) (*engine.Result, error) {
		err := os.WriteFile(filepath.Join(job.Dir, "out/junit.xml"), []byte("half"), 0o644)
		return &engine.Result{ExitCode: -1, TimedOut: true, Ended: true}, err
	})
	outcomes, _, err := w.run(w.plan(failing("")), engine.RunOptions{})
	if err == nil || len(outcomes[0].Failed.Outputs) != 1 || outcomes[0].Failed.Outputs[0].Name != "junit" {
		t.Errorf("%+v, %v", outcomes[0].Failed, err)
	}
}

// A command that exits with 0 but without an output has also failed.
func TestOutputsOfAStageThatLacksOne(t *testing.T) {
	w := newWorld(t)
	outcomes, _, err := w.run(w.plan(failing("echo 1 > out/junit.xml")), engine.RunOptions{})
	if err == nil || len(outcomes[0].Failed.Outputs) != 1 {
		t.Errorf("%+v, %v", outcomes[0].Failed, err)
	}
}

// If a stage succeeds at the second attempt, no outputs of a failed attempt are kept.
func TestOutputsOfARetriedStage(t *testing.T) {
	w := newWorld(t)
	attempts := 0
	w.engine.Executor = scripted(func(job *engine.Job) (*engine.Result, error) {
		attempts++
		err := os.WriteFile(filepath.Join(job.Dir, "out/result"), []byte("x"), 0o644)
		return &engine.Result{ExitCode: 2 - attempts, Ended: true}, err
	})
	in := sh("flaky", "")
	in.Retries = 1
	outcomes, _, err := w.run(w.plan(in), engine.RunOptions{})
	if err != nil || outcomes[0].Attempts != 2 || len(outcomes[0].Failed.Outputs) != 0 {
		t.Errorf("%+v, %v", outcomes[0], err)
	}
}

// Outputs that are too large or not files are listed and not kept.
func TestOutputsOfAFailedStageThatAreNotKept(t *testing.T) {
	w := newWorld(t)
	in := failing("truncate -s 65M out/shots; ln -s /etc/passwd out/junit.xml; mkdir out/absent; exit 1")
	outcomes, _, err := w.run(w.plan(in), engine.RunOptions{})
	if got := strings.Join(outcomes[0].Failed.NotKept, "\n"); err == nil || len(outcomes[0].Failed.Outputs) != 0 ||
		!strings.Contains(got, "junit was not kept: it is a symbolic link") || !strings.Contains(got, "shots was not kept: it is a file") || !strings.Contains(got, "absent was not kept: it is a directory") {
		t.Errorf("%s, %v", got, err)
	}
	outcomes, _, _ = w.run(w.plan(failing("truncate -s 65M out/junit.xml; mkdir out/shots; echo 1 > out/shots/x; exit 1")), engine.RunOptions{})
	if f := outcomes[0].Failed; len(f.Outputs) != 1 || len(f.NotKept) != 1 || !strings.Contains(f.NotKept[0], "64 MiB") {
		t.Errorf("%+v", f)
	}
}
