package scanner

import "testing"

// TestUpdates keeps the rates on updates of approved tools. Innocent releases matter as much
// as attacks: a check that reports every second release is switched off.
func TestUpdates(t *testing.T) {
	r := measure(t, "testdata/updates.json", false)
	if r.caught < 63 || r.flagged > 7 {
		t.Errorf("%d of %d attacks caught and %d of %d innocent updates flagged, want at least 63 and at most 7", r.caught, r.attacks, r.flagged, r.innocents)
	}
}
