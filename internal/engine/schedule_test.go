package engine_test

import (
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"github.com/touchstone-eval/touchstone/internal/engine"
)

// After a failure no further stage starts, except with KeepGoing.
func TestFailureStopsWhatHasNotStarted(t *testing.T) {
	w := newWorld(t)
	w.engine.Jobs = 1
	plan := w.plan(sh("bad", "exit 1"), sh("good", "touch out/result"))
	outcomes, _, err := w.run(plan, engine.RunOptions{})
	if o := outcomes[1]; err == nil || o.State != engine.Skipped || o.Cause != "bad" {
		t.Errorf("%v; good is %s because of %q", err, o.State, o.Cause)
	}
	outcomes, _, err = w.run(plan, engine.RunOptions{KeepGoing: true})
	if o := outcomes[1]; err == nil || o.State != engine.Ran {
		t.Errorf("%v; good is %s", err, o.State)
	}
}

// A stage that uses all processors runs alone.
func TestProcessorsAreShared(t *testing.T) {
	t.Parallel() // it mostly waits
	w := newWorld(t)
	w.engine.Jobs = 4
	busy := filepath.Join(t.TempDir(), "busy")
	script := "mkdir " + busy + " && sleep 0.1 && rmdir " + busy + " && touch out/result"
	plan := w.plan(sh("a", script), sh("b", script), sh("c", script), sh("d", script))
	for _, in := range plan.Instances {
		in.Resources.CPUs = 3 // two of them do not fit
	}
	w.mustRun(plan)
	for _, in := range plan.Instances {
		in.Command[2] += " "
		in.Resources.CPUs = 100 // more than exist: it gets all of them
	}
	w.mustRun(plan)
}

// awayFromHere runs jobs that use no processors of this machine.
type awayFromHere struct{ scripted }

func (awayFromHere) RunsRemotely() {}

// Stages that run elsewhere do not share the processors of this machine.
func TestProcessorsElsewhere(t *testing.T) {
	w := newWorld(t)
	w.engine.Jobs = 2
	var both sync.WaitGroup
	both.Add(2)
	w.engine.Executor = awayFromHere{func(job *engine.Job) (*engine.Result, error) {
		both.Done()
		both.Wait() // for ever if only one of them runs
		return &engine.Result{Ended: true}, os.WriteFile(filepath.Join(job.Dir, "out", "result"), nil, 0o644)
	}}
	plan := w.plan(sh("a", "touch out/result"), sh("b", "touch out/result"))
	for _, in := range plan.Instances {
		in.Resources.CPUs = 8
	}
	w.mustRun(plan)
}

// A run starts as many workers as it has instances, however many are allowed.
func TestWorkersByNeed(t *testing.T) {
	w := newWorld(t)
	w.engine.Jobs = 50_000
	most := 0
	w.engine.Events = func(engine.Event) {
		w.mu.Lock()
		defer w.mu.Unlock()
		most = max(most, runtime.NumGoroutine())
	}
	w.mustRun(w.plan(sh("a", "touch out/result"), sh("b", "touch out/result")))
	if most == 0 || most > 1000 {
		t.Errorf("%d goroutines for two instances", most)
	}
}
