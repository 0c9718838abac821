package engine_test

import (
	"testing"

	"github.com/touchstone-eval/touchstone/internal/engine"
	"github.com/touchstone-eval/touchstone/pipeline"
)

// Events count the selected instances that have finished, hits and failures included,
// and estimate the remaining time once each of the rest has run before.
func TestEventsSayHowFarARunIs(t *testing.T) {
	w := newWorld(t)
	w.write("a.txt", "1\n")
	first := w.source(sh("first", "cp in/a out/result"), "a", "a.txt")
	plan := w.plan(first, waiting(sh("second", "echo 2 > out/result"), 0), sh("third", "echo 3 > out/result"))
	positions := func() (done []int) {
		for _, e := range w.events {
			if e.Event != engine.EventStart && e.Event != engine.EventDone {
				continue
			}
			if e.Total != 3 {
				t.Errorf("%s %s: total %d", e.Event, e.Stage, e.Total)
			}
			if e.Event == engine.EventDone {
				done = append(done, e.Done)
			}
		}
		return done
	}
	w.mustRun(plan)
	if done := positions(); len(done) != 3 || done[2] != 3 {
		t.Errorf("done %v", done)
	}
	if w.events[1].LeftMS != 0 {
		t.Error("stages that have never run have an estimate")
	}
	w.write("a.txt", "2\n")
	w.events = nil
	w.mustRun(plan)
	started := false
	for _, e := range w.events {
		if e.Event == engine.EventStart {
			started = e.Stage == "first" && e.LeftMS > 0
		}
	}
	if done := positions(); !started || len(done) != 1 || done[0] < 1 {
		t.Errorf("started %v, done %v", started, done)
	}
}

// An instance whose condition is false is no part of the run, so it does not count as finished.
func TestEventsDoNotCountInstancesThatAreOff(t *testing.T) {
	w := newWorld(t)
	off := &pipeline.Instance{Stage: "off", Off: "when = false (pipeline.hcl:1)", Outputs: []pipeline.Output{{Name: "result", Path: "out/result"}}}
	w.mustRun(w.plan(off, sh("first", "echo 1 > out/result"), waiting(sh("second", "echo 2 > out/result"), 1)))
	for _, e := range w.events {
		if e.Event == engine.EventDone && e.Stage == "second" && (e.Done != 2 || e.Total != 2) {
			t.Errorf("the last instance is %d of %d", e.Done, e.Total)
		}
	}
}
