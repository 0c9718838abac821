package scanner

import "testing"

// TestTextbook keeps what the default run stops of the attacks that every
// reviewer knows, and of innocent tools that share their words.
func TestTextbook(t *testing.T) {
	for path, want := range map[string]struct{ attacks, innocents int }{
		"testdata/textbook.json":             {47, 1},
		"testdata/textbook_other_words.json": {36, 0},
		"testdata/blunt.json":                {79, 0},
		"testdata/blunt_and_careful.json":    {51, 0},
		"testdata/blunt_and_careful2.json":   {63, 0},
		"testdata/blunt_and_careful3.json":   {58, 0},
		"testdata/blunt_and_careful4.json":   {56, 0},
		"testdata/blunt_and_careful5.json":   {57, 0},
		"testdata/updates.json":              {55, 2},
	} {
		stopped, stoppedInnocents := 0, 0
		for _, e := range readDevSet(t, path) {
			f := judgeEntry(t, e)
			switch {
			case e.Label == "attack" && f.Severity.Stops():
				stopped++
			case e.Label == "attack":
				t.Logf("not stopped: %s, %s: %s %.200q", e.ID, e.Category, f.Severity, e.Description)
			case f.Severity.Stops():
				stoppedInnocents++
				t.Logf("innocent, stopped: %s %s %.120q %+v", e.ID, f.Severity, e.Description, f.Signals)
			}
		}
		t.Logf("%s: the default run stops %d attacks and %d innocents", path, stopped, stoppedInnocents)
		if stopped < want.attacks || stoppedInnocents > want.innocents {
			t.Errorf("%s: the default run stops %d attacks and %d innocents, want at least %d and at most %d", path, stopped, stoppedInnocents, want.attacks, want.innocents)
		}
	}
}
