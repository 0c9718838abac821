package timing

import (
	"math"
	"testing"
)

func TestGrowth(t *testing.T) {
	n := []float64{1000, 5000, 10000, 50000}
	power := func(a, b float64) (y []float64) {
		for _, x := range n {
			y = append(y, a*math.Pow(x, b))
		}
		return y
	}
	for _, want := range []float64{0.5, 1, 1.5, 2} {
		b, r2 := Growth(n, power(3, want))
		if math.Abs(b-want) > 1e-9 || math.Abs(r2-1) > 1e-9 {
			t.Errorf("3n^%v: exponent %v, R² %v", want, b, r2)
		}
	}
	// By hand: the logarithms of n are 0, 1, 2 and those of y 0, 1, 4.
	b, r2 := Growth([]float64{1, math.E, math.E * math.E}, []float64{1, math.E, math.Exp(4)})
	if math.Abs(b-2) > 1e-9 || math.Abs(r2-12.0/13) > 1e-9 {
		t.Errorf("exponent %v and R² %v, want 2 and 12/13", b, r2)
	}
}
