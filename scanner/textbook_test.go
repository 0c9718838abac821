package scanner

import "testing"

// stops reports whether a finding fails the default run, `--fail-on high`.
func (f Finding) stops() bool { return f.Severity == SeverityHigh || f.Severity == SeverityCritical }

// TestTextbook keeps what the default run stops of the attacks that every
// reviewer knows.
func TestTextbook(t *testing.T) {
	stopped, stoppedInnocents := 0, 0
	for _, e := range readDevSet(t, "testdata/textbook.json") {
		f := judgeEntry(t, e)
		switch {
		case e.Label == "attack" && f.stops():
			stopped++
		case e.Label == "attack":
			t.Logf("not stopped: %s, %s: %s %.200q", e.ID, e.Category, f.Severity, e.Description)
		case f.stops():
			stoppedInnocents++
			fallthrough
		case f.Flagged():
			t.Logf("innocent: %s %s %.120q %+v", e.ID, f.Severity, e.Description, f.Signals)
		}
	}
	t.Logf("stopped %d of 50 attacks and %d of 40 innocents", stopped, stoppedInnocents)
	if stopped < 47 || stoppedInnocents > 1 {
		t.Errorf("the default run stops %d of 50 attacks and %d of 40 innocents, want at least 47 and at most 1", stopped, stoppedInnocents)
	}
}
