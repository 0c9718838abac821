package metrics

import (
	"math"
	"math/rand/v2"
	"testing"
)

func defined(t *testing.T, what string, got, want float64, ok bool) {
	t.Helper()
	if !ok || math.Abs(got-want) > 5e-4 {
		t.Errorf("%s = %v %v, want %v", what, got, ok, want)
	}
}

func TestCohenKappa(t *testing.T) {
	// By hand: 35 of 50 pairs agree, and chance gives 25.
	grants := Table{{20, 5}, {10, 15}}
	kappa, ok := CohenKappa(grants)
	defined(t, "kappa", kappa, 0.4, ok)
	if got, ok := WeightedKappa(grants); !ok || math.Abs(got-kappa) > 1e-12 {
		t.Errorf("with two grades, weights change kappa to %v", got)
	}
	// By hand: 29 of 100 pairs agree, and chance gives 35.
	psychologists := Table{{25, 13, 12}, {12, 2, 16}, {3, 15, 2}}
	kappa, ok = CohenKappa(psychologists)
	defined(t, "less than chance", kappa, -0.0923, ok)
	// By hand: n times the observed squares over the expected ones.
	weighted, ok := WeightedKappa(Table{{10, 2, 0}, {1, 5, 1}, {0, 0, 6}})
	defined(t, "weighted", weighted, 1-25.*4/(12*7+12*7*4+7*11+7*7+6*11*4+6*7), ok)
	if kappa, ok := CohenKappa(Table{{7, 0}, {0, 3}}); !ok || kappa != 1 {
		t.Errorf("perfect agreement is %v", kappa)
	}
	for _, undefined := range []Table{{{0, 0}, {0, 0}}, {{4, 0}, {0, 0}}} {
		if kappa, ok := CohenKappa(undefined); ok {
			t.Errorf("kappa of %v is %v", undefined, kappa)
		}
	}
}

// The example of Krippendorff 2011, section C: four judges, twelve units and
// missing judgements. The paper gives .743, .815 and .849.
func TestKrippendorffAlpha(t *testing.T) {
	const none = 0
	judges := [][]int{
		{1, 2, 3, 3, 2, 1, 4, 1, 2, none, none, none},
		{1, 2, 3, 3, 2, 2, 4, 1, 2, 5, none, 3},
		{none, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, none},
		{1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, none},
	}
	units := make([][]int, 12)
	for _, grades := range judges {
		for u, g := range grades {
			if g != none {
				units[u] = append(units[u], g-1)
			}
		}
	}
	for scale, want := range map[AlphaScale]float64{Nominal: 0.743, OrdinalScale: 0.815, IntervalScale: 0.849} {
		got, ok := KrippendorffAlpha(units, 5, scale)
		defined(t, "alpha", got, want, ok)
	}
	if alpha, ok := KrippendorffAlpha([][]int{{1}, {0}}, 2, Nominal); ok {
		t.Errorf("alpha of single judgements is %v", alpha)
	}
	if alpha, ok := KrippendorffAlpha([][]int{{1, 1}, {1, 1}}, 2, Nominal); ok {
		t.Errorf("alpha of one grade is %v", alpha)
	}
}

// A table gives the alpha of its pairs, and its parts add up.
func TestTable(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var tables []Table
	var units [][]int
	for range 20 {
		one := NewTable(3)
		for range 5 {
			a, b := random.IntN(3), random.IntN(3)
			if random.IntN(2) == 0 {
				b = a
			}
			one[a][b]++
			units = append(units, []int{a, b})
		}
		tables = append(tables, one)
	}
	all := Sum(tables...)
	for _, scale := range []AlphaScale{Nominal, OrdinalScale, IntervalScale} {
		want, _ := KrippendorffAlpha(units, 3, scale)
		if got, ok := all.Alpha(scale); !ok || math.Abs(got-want) > 1e-12 {
			t.Errorf("alpha of the table is %v, of the pairs %v", got, want)
		}
	}
	if rest := Without(all, tables[3]); rest.Total() != 95 || Sum(rest, tables[3]).Agreed() != all.Agreed() {
		t.Errorf("without one: %v of %v", rest, all)
	}
	two := all.Only(2)
	if two[1][1] != all[2][2] || two.Total() != 100 || two[1][0] != all[2][0]+all[2][1] {
		t.Errorf("%v of %v", two, all)
	}
}

// The jackknife of a mean is its standard error.
func TestJackknife(t *testing.T) {
	values := []float64{1, 4, 2, 8, 5, 7}
	interval, ok := Jackknife(Mean(values), len(values), func(i int) (float64, bool) {
		sum := 0.0
		for j, v := range values {
			if j != i {
				sum += v
			}
		}
		return sum / 5, true
	})
	half := 1.959963984540054 * StdDev(values) / math.Sqrt(6)
	if !ok || math.Abs(interval.High-Mean(values)-half) > 1e-12 || math.Abs(Mean(values)-interval.Low-half) > 1e-12 {
		t.Errorf("%v, want +-%v", interval, half)
	}
	if _, ok := Jackknife(1, 1, func(int) (float64, bool) { return 1, true }); ok {
		t.Error("an interval of one group")
	}
}
