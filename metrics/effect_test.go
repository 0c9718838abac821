package metrics

import (
	"math"
	"testing"
)

func TestCohenDz(t *testing.T) {
	for _, x := range []struct {
		differences []float64
		want        float64
		ok          bool
	}{
		{[]float64{0, 0, 0}, 0, true},
		{nil, 0, true},
		{[]float64{.5, .5}, 0, false},
		{[]float64{.5}, 0, false},
		{[]float64{1, 0, 1, 0}, .5 / math.Sqrt(1.0/3), true},
		{[]float64{-1, 0, -1, 0}, -.5 / math.Sqrt(1.0/3), true},
		{[]float64{1, -1}, 0, true},
		{[]float64{0, 1, 2, 3, -1, 1}, 1 / math.Sqrt2, true},
	} {
		got, ok := CohenDz(x.differences)
		if ok != x.ok || math.Abs(got-x.want) > 1e-12 {
			t.Errorf("CohenDz(%v) = %v, %v, want %v, %v", x.differences, got, ok, x.want, x.ok)
		}
	}
}
