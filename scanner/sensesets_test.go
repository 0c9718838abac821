package scanner

import "testing"

// TestSenseSets keeps the rates on attacks by class and on their innocent
// counterparts. Rules were tuned on the dev sets. The held-out sets were not
// looked at.
func TestSenseSets(t *testing.T) {
	for _, half := range []struct {
		path             string
		verbose          bool
		recall, flagRate float64
	}{
		{"training/unmarked/senses_dev.json", true, 0.71, 0.03},
		{"testdata/senses_heldout.json", false, 0.75, 0.10},
		{"training/unmarked/business_dev.json", true, 0.74, 0.05},
		{"testdata/business_heldout.json", false, 0.60, 0.06},
		{"training/unmarked/harm_dev.json", true, 0.25, 0.05},
		{"testdata/harm_heldout.json", false, 0.25, 0.05},
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
