package progress

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/touchstone-eval/touchstone/internal/engine"
)

// A stage that runs again because its output was damaged may fail, which is reported for the stage that reads
// the output, and may run again for another reader. A bar that is never ended would keep the run from ending.
func TestProgressOfAStageThatStartsTwice(t *testing.T) {
	var out bytes.Buffer
	p, err := New("tty", false, &out, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range []engine.Event{
		{Event: engine.EventStart, Stage: "reader", Total: 3},
		{Event: engine.EventStart, Stage: "damaged"},
		{Event: engine.EventFailed, Stage: "reader", Error: "no luck"},
		{Event: engine.EventStart, Stage: "damaged", ExpectedMS: 50},
		{Event: engine.EventDone, Stage: "damaged", Total: 3, Done: 2, LeftMS: 12_300},
	} {
		p.Event(e)
	}
	p.Close()
	if text := out.String(); !strings.Contains(text, "FAIL  reader: no luck") || !strings.Contains(text, "done  damaged  0 ms  (2 of 3, about 12 s left)") {
		t.Errorf("printed %q", text)
	}
}

// TestProgressSaysWhoWaits has stages that wait for a worker, of which one gets one.
func TestProgressSaysWhoWaits(t *testing.T) {
	var out bytes.Buffer
	p := &plain{w: &out}
	defer p.Close()
	for _, stage := range []string{"c", "b", "a"} {
		p.Event(engine.Event{Event: engine.EventQueued, Stage: stage})
	}
	p.Event(engine.Event{Event: engine.EventBegun, Stage: "a"})
	p.waits()
	if want := "wait  b: no worker is free (2 stages wait)\n"; out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}
}

func TestSkippedStagesTakeOneLinePerCause(t *testing.T) {
	var s skips
	for _, e := range []engine.Event{{Stage: "a", Cause: "x"}, {Stage: "b", Instance: "n=1", Cause: "x"}, {Stage: "z", Cause: "y"}, {Stage: "c", Cause: "x"}, {Stage: "d", Cause: "x"}} {
		s.add(e)
	}
	want := []string{"skip  a, b[n=1], c and 1 more: x failed", "skip  z: y failed"}
	if got := s.lines(); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if got := s.lines(); len(got) != 0 {
		t.Errorf("printed again: %q", got)
	}
}
