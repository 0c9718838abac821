package progress

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

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

// TestProgressSaysWhatStillRuns has a stage that runs for long, and nothing else to print.
func TestProgressSaysWhatStillRuns(t *testing.T) {
	lines := make(chan string, 10)
	p := &plain{w: lineWriter(lines), period: time.Millisecond}
	p.Event(engine.Event{Event: engine.EventStart, Stage: "build", Total: 4, ExpectedMS: 60_000})
	p.Event(engine.Event{Event: engine.EventStart, Stage: "validate", Total: 4, Done: 1, LeftMS: 70_000})
	for range 2 {
		<-lines // the starts
	}
	for range 2 {
		if line := <-lines; !strings.HasPrefix(line, "still build and 1 more  ") || !strings.HasSuffix(line, " of about 1m0s  (1 of 4, about 1m10s left)\n") {
			t.Errorf("printed %q", line)
		}
	}
	p.Close()
}

// lineWriter sends each write.
type lineWriter chan string

func (w lineWriter) Write(b []byte) (int, error) {
	select {
	case w <- string(b):
	default: // nobody reads any more
	}
	return len(b), nil
}
