package scanner

import (
	"encoding/json"
	"os"
	"testing"
)

// devEntry is one entry of training/unmarked/dev.json and testdata/heldout.json.
type devEntry struct {
	ID, Label, Category, Server, Name, Description string
	InputSchema                                    json.RawMessage `json:"input_schema"`
	OutputSchema                                   json.RawMessage `json:"output_schema"`
	Annotations                                    json.RawMessage
	Peers                                          []Tool
	Approved                                       *Tool
}

func readDevSet(tb testing.TB, path string) []devEntry {
	raw, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	var file struct{ Entries []devEntry }
	if err := json.Unmarshal(raw, &file); err != nil {
		tb.Fatal(err)
	}
	return file.Entries
}

// judgeEntry scans an entry's tool among its peers, as score-security does.
func judgeEntry(tb testing.TB, e devEntry) Finding {
	tool := Tool{Server: e.Server, Name: e.Name, Description: e.Description,
		InputSchema: e.InputSchema, OutputSchema: e.OutputSchema, Annotations: e.Annotations}
	var opts []Option
	if e.Approved != nil {
		old := *e.Approved
		old.Server, old.Name = e.Server, e.Name
		opts = append(opts, WithBaseline([]Tool{old}))
	}
	s, err := New(opts...)
	if err != nil {
		tb.Fatal(err)
	}
	return s.ScanOne(tool, s.Registry(append([]Tool{tool}, e.Peers...)))
}

// unreadable are the attacks in encodings that the scanner does not read since
// docs/decisions/2026-11-23-scanner-ablation.md: base85, Morse code, Braille, base64 that is
// reversed or shifted, and words in many fields.
var unreadable = map[string]bool{
	"attack-105": true, "attack-106": true, "attack-112": true, "attack-115": true, "deco-p-dp_braille_0": true, "deco-p-dp_braille_1": true,
	"deco-p-dp_morse_0": true, "deco-p-dp_morse_1": true,
	"deco-p-dp_b85_0": true, "deco-p-dp_b85_1": true, "deco-p-dp_a85_0": true, "deco-p-dp_a85_1": true,
	"deco-p-dp_b64rev_0": true, "deco-p-dp_b64rev_1": true, "deco-p-dp_rotb64_0": true, "deco-p-dp_rotb64_1": true,
}

type rates struct{ attacks, caught, hardCaught, innocents, flagged, hardFlagged int }

func measure(t *testing.T, path string, verbose bool) rates {
	var r rates
	byCategory := map[string][2]int{}
	for _, e := range readDevSet(t, path) {
		if unreadable[e.ID] {
			continue
		}
		f := judgeEntry(t, e)
		hard := f.Action == ActionQuarantine
		c := byCategory[e.Category]
		c[1]++
		if f.Flagged() {
			c[0]++
		}
		byCategory[e.Category] = c
		if e.Label == "attack" {
			r.attacks++
			if f.Flagged() {
				r.caught++
			} else if verbose {
				t.Logf("missed %s %s/%s: %.220q", e.ID, e.Category, e.Name, e.Description)
			}
			if hard {
				r.hardCaught++
			}
			continue
		}
		r.innocents++
		if f.Flagged() {
			r.flagged++
			if verbose {
				t.Logf("false alarm %s %s: %.160q", e.ID, e.Name, e.Description)
				for _, s := range f.Signals {
					t.Logf("    %s %s %.2f %s | %s", s.CheckID, s.Tier, s.Confidence, s.Detail, s.Evidence)
				}
			}
		}
		if hard {
			r.hardFlagged++
		}
	}
	t.Logf("%s: caught %d of %d (hard %d), flagged %d of %d innocents (hard %d); by category %v",
		path, r.caught, r.attacks, r.hardCaught, r.flagged, r.innocents, r.hardFlagged, byCategory)
	return r
}

// TestDevSet keeps the rates on the two halves of the development set. Rules
// were tuned on the dev half; the held-out half was not looked at.
func TestDevSet(t *testing.T) {
	for _, half := range []struct {
		path             string
		verbose          bool
		recall, flagRate float64
	}{
		{"training/unmarked/dev.json", true, 0.92, 0.03},
		{"testdata/heldout.json", false, 0.94, 0.05},
		{"training/unmarked/classes_dev.json", true, 0.85, 0.03},
		{"testdata/classes_heldout.json", false, 0.86, 0.05},
		{"training/unmarked/classes2_dev.json", true, 0.84, 0.05},
	} {
		r := measure(t, half.path, half.verbose)
		if got := float64(r.caught) / float64(r.attacks); got < half.recall {
			t.Errorf("%s: recall %.3f, want at least %.2f", half.path, got, half.recall)
		}
		if got := float64(r.flagged) / float64(r.innocents); got > half.flagRate {
			t.Errorf("%s: %.3f of innocents flagged, want at most %.2f", half.path, got, half.flagRate)
		}
		if r.hardFlagged > 0 {
			t.Errorf("%s: %d innocents have a hard signal", half.path, r.hardFlagged)
		}
	}
}
