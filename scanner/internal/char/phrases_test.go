package char

import "testing"

func TestPhraseSet(t *testing.T) {
	s := NewPhraseSet("no network", "офлайн", "离线")
	for text, want := range map[string]bool{
		"Works with no network.": true, "NO NETWORK": true, "Офлайн": true, "可离线使用": true,
		"no networ": false, "": false, "n": false, "offline": false, "о": false,
	} {
		if got := s.In(text); got != want {
			t.Errorf("%q: got %v, want %v", text, got, want)
		}
	}
}
