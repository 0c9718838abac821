package scanner

import (
	"testing"

	"golang.org/x/text/unicode/norm"
)

// TestSettled: what normalize does not show to the tables of Unicode is what
// they would leave alone.
func TestSettled(t *testing.T) {
	n := 0
	for r := rune(0x80); r < 0x20000; r++ {
		if !settled(r) {
			continue
		}
		n++
		s := string(r)
		if !norm.NFKC.IsNormalString(s) || !norm.NFKC.PropertiesString(s).BoundaryBefore() {
			t.Errorf("NFKC changes %U or joins it to what stands before", r)
		}
	}
	if n < 20_000 {
		t.Errorf("%d runes are settled", n)
	}
	for r := rune(0xFF01); r <= 0xFF5E; r++ {
		if got, want := normalize(string(r)), norm.NFKC.String(string(r)); got != want {
			t.Errorf("normalize(%U) = %q, want %q", r, got, want)
		}
	}
}
