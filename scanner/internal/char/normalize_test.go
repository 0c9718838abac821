package char

import (
	"testing"

	"golang.org/x/text/unicode/norm"
)

// TestSettled checks that the runes that normalize does not look up in
// Unicode's tables are those that the tables leave unchanged.
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
		if got, want := Normalize(string(r)), norm.NFKC.String(string(r)); got != want {
			t.Errorf("Normalize(%U) = %q, want %q", r, got, want)
		}
	}
}

func FuzzNormalize(f *testing.F) {
	for _, s := range []string{"plain", "ｆｕｌｌ", "a\u0336b", "\xff", "\u2028"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		n := Normalize(s)
		if Normalize(n) != n {
			t.Errorf("normalize(%q) = %q is not stable: %q", s, n, Normalize(n))
		}
		for _, r := range n {
			if Invisible(r) {
				t.Errorf("normalize(%q) = %q keeps an invisible character", s, n)
			}
		}
		Skeleton(s)
	})
}
