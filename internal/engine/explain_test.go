package engine_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/touchstone-eval/touchstone/internal/engine"
	"github.com/touchstone-eval/touchstone/pipeline"
)

func TestExplainNamesTheEntryThatChanged(t *testing.T) {
	w := newWorld(t)
	w.write("set.json", "{\n \"version\": \"v1\",\n \"queries\": [\n  {\"id\": \"q1\", \"query\": \"a\"},\n  {\"id\": \"q2\", \"query\": \"b\"}\n ]\n}\n")
	plan := w.plan(w.source(sh("s", "cp in/set out/result"), "set", "set.json"))
	w.mustRun(plan)
	w.write("set.json", "{\n \"version\": \"v1\",\n \"queries\": [\n  {\"id\": \"q2\", \"query\": \"edited\"},\n  {\"id\": \"q3\", \"query\": \"c\"}\n ]\n}\n")
	got, err := w.engine.Explain(context.Background(), plan, []int{0})
	if err != nil {
		t.Fatal(err)
	}
	if got[0].Status != engine.Miss || len(got[0].Changes) != 1 {
		t.Fatalf("explanation = %+v", got[0])
	}
	want := []string{"line 4: queries[q2] edited (query)", "line 5: queries[q3] added", "queries[q1] removed (was line 4)"}
	if fmt.Sprint(got[0].Changes[0].Details) != fmt.Sprint(want) {
		t.Errorf("details = %q, want %q", got[0].Changes[0].Details, want)
	}
	if got[0].Reasons[0] != "input.set changed (set.json)" {
		t.Errorf("reasons = %q", got[0].Reasons)
	}
}

// explained returns the explanation of the plan's first instance.
func (w *world) explained(plan *pipeline.Plan) engine.Explanation {
	w.t.Helper()
	got, err := w.engine.Explain(context.Background(), plan, []int{0})
	if err != nil {
		w.t.Fatal(err)
	}
	return got[0]
}

// An editor may have saved a file only partially when explain runs.
func TestExplainOfAFileThatIsHalfSaved(t *testing.T) {
	w := newWorld(t)
	whole := `{"version": "v1", "queries": [{"id": "q1"}, {"id": "q2"}]}`
	w.write("set.json", whole)
	plan := w.plan(w.source(sh("s", "cp in/set out/result"), "set", "set.json"))
	w.mustRun(plan)
	for n := range len(whole) {
		w.write("set.json", whole[:n])
		if x := w.explained(plan); len(x.Changes) != 1 || len(x.Changes[0].Details) == 0 {
			t.Errorf("with the first %d bytes saved: %+v", n, x.Changes)
		}
	}
}

func TestExplainOfAnInputWithoutAnEarlierVersion(t *testing.T) {
	w := newWorld(t)
	w.write("a", "a")
	file := w.write("b", "b")
	in := w.source(sh("s", "touch out/result"), "a", "a")
	plan := w.plan(in)
	w.mustRun(plan)

	w.source(in, "b", "b")
	x := w.explained(plan)
	if n := len(x.Changes); n != 2 || x.Changes[1].String() != "input.b is new" || x.Changes[1].Details != nil {
		t.Errorf("a new input: %+v", x.Changes)
	}
	w.mustRun(plan)

	if err := os.Chmod(file, 0o755); err != nil {
		t.Fatal(err)
	}
	if x := w.explained(plan); len(x.Changes) != 1 || fmt.Sprint(x.Changes[0].Details) != "[its content is the same, but the file is now executable]" {
		t.Errorf("chmod +x: %+v", x.Changes)
	}
	w.mustRun(plan)

	w.write("b", "other")
	if x := w.explained(plan); len(x.Changes) != 1 || fmt.Sprint(x.Changes[0].Details) != "[from line 1: 1 line became 1]" {
		t.Errorf("an edited %s that can be executed: %+v", filepath.Base(file), x.Changes)
	}
}

// A result that can no longer be a hit is still used to show what has changed.
func TestExplainComparesWithWhatIsNoHitAnyMore(t *testing.T) {
	for name, spoil := range map[string]func(*world){
		"expired": func(*world) {},
		"without its output": func(w *world) {
			if err := os.RemoveAll(filepath.Join(w.store.Dir(), "blobs")); err != nil {
				w.t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.write("a.txt", "1")
			in := w.source(sh("s", "echo x > out/result"), "a", "a.txt")
			plan := w.plan(in)
			if name == "expired" {
				in.Cache.TTL = time.Nanosecond
			}
			w.mustRun(plan)
			spoil(w)
			w.write("a.txt", "2")
			x := w.explained(plan)
			if x.Compared == nil || len(x.Changes) != 1 || fmt.Sprint(x.Reasons) != "[input.a changed (a.txt)]" {
				t.Errorf("compared with %+v: %q, %+v", x.Compared, x.Reasons, x.Changes)
			}
		})
	}
}

// A checkout has no history if another checkout computed all its results.
func TestExplainOfAResultOfAnotherCheckout(t *testing.T) {
	w := newWorld(t)
	w.write("a.txt", "1")
	plan := w.plan(w.source(sh("s", "echo x > out/result"), "a", "a.txt"))
	w.mustRun(plan)
	if x := w.explained(plan); x.Status != engine.Hit || x.NotInHistory {
		t.Errorf("a hit of this checkout: %+v", x)
	}
	w.engine.Project = "another checkout"
	if x := w.explained(plan); x.Status != engine.Hit || !x.NotInHistory {
		t.Errorf("a hit of another checkout: %+v", x)
	}
	w.write("a.txt", "2")
	x := w.explained(plan)
	if fmt.Sprint(x.Reasons) != "[first run in this checkout]" {
		t.Errorf("reasons %q", x.Reasons)
	}
	if x.Compared == nil || !x.NotInHistory || len(x.Changes) != 1 || x.Changes[0].String() != "input.a changed (a.txt)" {
		t.Errorf("compared with %+v: %+v", x.Compared, x.Changes)
	}
}

func TestExplainIsInterrupted(t *testing.T) {
	w := newWorld(t)
	plan := w.plan(sh("a", "echo a > out/result"), after(sh("b", "cp in/u out/result"), "u", 0))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	outcomes, err := w.engine.Evaluate(ctx, plan)
	if !errors.Is(err, context.Canceled) || outcomes[0].State != engine.Canceled || outcomes[1].State != engine.Canceled {
		t.Errorf("%s and %s, %v", outcomes[0].State, outcomes[1].State, err)
	}
}

// A hit is compared with the run before it, so that an edit can still be looked up after it ran.
func TestExplainOfAHitNamesWhatChangedBefore(t *testing.T) {
	w := newWorld(t)
	w.write("set.json", `{"queries": [{"id": "q1", "query": "a"}]}`)
	plan := w.plan(w.source(sh("s", "cp in/set out/result"), "set", "set.json"))
	w.mustRun(plan)
	if x := w.explained(plan); x.Status != engine.Hit || x.Compared != nil || len(x.Changes) > 0 {
		t.Errorf("the first run is compared with %+v: %+v", x.Compared, x.Changes)
	}
	w.write("set.json", `{"queries": [{"id": "q1", "query": "b"}]}`)
	w.mustRun(plan)
	x := w.explained(plan)
	if x.Status != engine.Hit || x.Compared == nil || len(x.Changes) != 1 || fmt.Sprint(x.Changes[0].Details) != "[line 1: queries[q1] edited (query)]" {
		t.Errorf("compared with %+v: %+v", x.Compared, x.Changes)
	}
	// What ran later is not compared with.
	w.write("set.json", `{"queries": [{"id": "q1", "query": "a"}]}`)
	if x := w.explained(plan); x.Status != engine.Hit || x.Compared != nil {
		t.Errorf("the first run is compared with %+v", x.Compared)
	}
}

// Evaluate tells what has to run from what waits, and explains the former also in a checkout that
// never ran anything, by the most similar result.
func TestEvaluateOfAnEditInAnotherCheckout(t *testing.T) {
	w := newWorld(t)
	w.write("set.json", `{"queries": [{"id": "q1", "query": "a"}]}`)
	w.write("other", "1")
	first := w.source(w.source(sh("a", "cp in/set out/result"), "set", "set.json"), "other", "other")
	uncached := after(sh("c", "cp in/u out/result"), "u", 0)
	uncached.Cache.Off = true
	plan := w.plan(first, after(sh("b", "cp in/u out/result"), "u", 0), uncached)
	w.mustRun(plan)
	w.write("set.json", `{"queries": [{"id": "q1", "query": "far"}, {"id": "q2", "query": "away"}]}`)
	w.write("other", "2")
	w.mustRun(plan)
	w.engine.Project = "another checkout"
	w.write("set.json", `{"queries": [{"id": "q1", "query": "edited"}]}`)
	w.write("other", "1")
	outcomes, err := w.engine.Evaluate(t.Context(), plan)
	if err != nil {
		t.Fatal(err)
	}
	o := outcomes[0]
	if o.State != engine.Miss || !o.NotInHistory || len(o.Changes) != 1 || fmt.Sprint(o.Changes[0].Details) != "[line 1: queries[q1] edited (query)]" {
		t.Errorf("%s, elsewhere %v: %+v", o.State, o.NotInHistory, o.Changes)
	}
	// After the run the same is said of the hit.
	w.mustRun(plan)
	if x := w.explained(plan); x.Status != engine.Hit || x.NotInHistory || !x.ComparedNotInHistory || len(x.Changes) != 1 || fmt.Sprint(x.Changes[0].Details) != "[line 1: queries[q1] edited (query)]" {
		t.Errorf("after the run: %+v", x)
	}
	if outcomes[1].State != engine.Waits || outcomes[2].State != engine.Miss {
		t.Errorf("%s waits for its input, and %s runs whatever its input is", outcomes[1].State, outcomes[2].State)
	}
}
