package metrics

import (
	"math"
	"testing"
)

func isRate(t *testing.T, what string, got *float64, want float64) {
	t.Helper()
	if got == nil || math.Abs(*got-want) > 1e-12 {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// The expected values come from R's binom.test(b, b+c)$p.value, or are short
// sums.
func TestMcNemar(t *testing.T) {
	for _, tc := range []struct {
		first, second int
		want          float64
	}{
		{0, 0, 1}, {7, 7, 1}, {0, 1, 1}, {1, 0, 1},
		{0, 5, 0.0625}, {5, 0, 0.0625},
		{1, 9, 22.0 / 1024}, {2, 10, 2 * (1.0 + 12 + 66) / 4096},
		{3, 4, 1},
		{-1, 5, 0.0625},
	} {
		got := McNemar(tc.first, tc.second)
		isRate(t, "p", &got, tc.want)
	}
	// Far beyond the smallest float64 the p-value is 0, and near it is not.
	if p := McNemar(0, 5000); p != 0 {
		t.Errorf("got %g", p)
	}
	if p := McNemar(0, 1000); p != math.Ldexp(1, -999) {
		t.Errorf("got %g", p)
	}
	// A large case agrees with the normal approximation.
	b, c := 4900, 5100
	z := (math.Abs(float64(b-c)) - 1) / math.Sqrt(float64(b+c))
	if p, approx := McNemar(b, c), math.Erfc(z/math.Sqrt2); math.Abs(p-approx) > 1e-4 {
		t.Errorf("got %g, the approximation is %g", p, approx)
	}
}

func TestMcNemarIsSymmetric(t *testing.T) {
	for b := range 30 {
		for c := range 30 {
			if McNemar(b, c) != McNemar(c, b) {
				t.Fatalf("%d, %d", b, c)
			}
			if p := McNemar(b, c); p < 0 || p > 1 {
				t.Fatalf("%d, %d: %g", b, c, p)
			}
		}
	}
}

// passByEnumeration counts the draws of k among n with a success in them.
func passByEnumeration(n, correct, k int) (some, all float64) {
	draws := 0
	for set := range 1 << n {
		size, hits := 0, 0
		for i := range n {
			if set>>i&1 == 1 {
				size++
				if i < correct {
					hits++
				}
			}
		}
		if size != k {
			continue
		}
		draws++
		if hits > 0 {
			some++
		}
		if hits == k {
			all++
		}
	}
	return some / float64(draws), all / float64(draws)
}

func TestPassAtK(t *testing.T) {
	for n := 1; n <= 8; n++ {
		for correct := 0; correct <= n; correct++ {
			for k := 1; k <= n; k++ {
				some, all := passByEnumeration(n, correct, k)
				isRate(t, "pass@k", PassAtK(n, correct, k), some)
				isRate(t, "pass^k", PassAllK(n, correct, k), all)
			}
		}
	}
	for _, bad := range [][3]int{{0, 0, 1}, {3, 1, 0}, {3, 1, 4}, {3, 4, 1}, {3, -1, 1}} {
		if PassAtK(bad[0], bad[1], bad[2]) != nil || PassAllK(bad[0], bad[1], bad[2]) != nil {
			t.Errorf("%v has a value", bad)
		}
	}
}

func TestAgreement(t *testing.T) {
	isRate(t, "all agree", Agreement([]int{5}), 1)
	isRate(t, "none agree", Agreement([]int{1, 1, 1}), 0)
	isRate(t, "three and two", Agreement([]int{3, 2}), (6+2)/20.0)
	if Agreement([]int{1}) != nil || Agreement(nil) != nil {
		t.Error("a single repeat has an agreement")
	}
}

func TestReliability(t *testing.T) {
	forecasts := []Forecast{{0, false}, {0.1, false}, {0.1000001, true}, {0.95, true}, {0.95, false}, {1, true}}
	bins := Reliability(forecasts, 10)
	if len(bins) != 10 || bins[0].Count != 2 || bins[1].Count != 1 || bins[9].Count != 3 {
		t.Fatalf("%+v", bins)
	}
	isRate(t, "accuracy", bins[9].Accuracy, 2.0/3)
	isRate(t, "mean confidence", bins[9].MeanConfidence, 2.9/3)
	if bins[5].Accuracy != nil || bins[5].MeanConfidence != nil || bins[5].Low != 0.5 || bins[5].High != 0.6 {
		t.Errorf("%+v", bins[5])
	}
	// |0-.05|·2 + |1-.1000001|·1 + |2/3-2.9/3|·3, over 6
	isRate(t, "ECE", ECE(bins), (0.1+0.8999999+0.9)/6)
	if ECE(Reliability(nil, 10)) != nil {
		t.Error("an ECE was computed without forecasts")
	}
	isRate(t, "perfect", ECE(Reliability([]Forecast{{1, true}, {0, false}}, 4)), 0)
	isRate(t, "worst", ECE(Reliability([]Forecast{{1, false}, {0, true}}, 4)), 1)
}
