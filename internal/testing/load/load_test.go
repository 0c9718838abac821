package load

import (
	"testing"
	"time"
)

func TestFactor(t *testing.T) {
	for _, tc := range []struct {
		text string
		want float64
	}{
		{"0.20 0.18 0.12 1/80 11206\n", 1},
		{"40.00 20.00 9.00 3/512 11206\n", 20},
		{"1.00 20.00 9.00 42/512 11206\n", 21},
		{"", 1}, {"what is this", 1}, {"a b c d/e f", 1},
	} {
		if got := factor([]byte(tc.text), 2); got != tc.want {
			t.Errorf("%q: %v, want %v", tc.text, got, tc.want)
		}
	}
}

func TestStretch(t *testing.T) {
	if got := Stretch(time.Second); got < time.Second {
		t.Errorf("a second became %s", got)
	}
}
