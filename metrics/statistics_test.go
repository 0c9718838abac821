package metrics

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestWilson(t *testing.T) {
	tests := []struct {
		k, n      int
		low, high float64
	}{
		{29, 29, .883, 1},
		{0, 21, 0, .155},
		// Newcombe, Statistics in Medicine 17, 1998, table I, method 3.
		{81, 263, .2553, .3662},
		{15, 148, .0624, .1605},
		{0, 20, 0, .1611},
		{1, 29, .0061, .1718},
	}
	for _, tt := range tests {
		got, ok := Wilson(tt.k, tt.n)
		decimals := 4
		if tt.n == 29 && tt.k == 29 || tt.n == 21 {
			decimals = 3
		}
		near(t, fmt.Sprintf("low of %d/%d", tt.k, tt.n), got.Low, tt.low, decimals)
		near(t, fmt.Sprintf("high of %d/%d", tt.k, tt.n), got.High, tt.high, decimals)
		if !ok {
			t.Error("not ok")
		}
	}
	if got, want := WilsonOf(0.75, 8), (func() Interval { i, _ := Wilson(6, 8); return i })(); got != want {
		t.Errorf("a rate of 6 in 8 has %v as a rate and %v as a count", got, want)
	}
	if wide, narrow := WilsonOf(0.925, 67), WilsonOf(0.925, 3000); wide.High-wide.Low < 5*(narrow.High-narrow.Low) {
		t.Errorf("%v over 67 observations, %v over 3000", wide, narrow)
	}
	if _, ok := Wilson(0, 0); ok {
		t.Error("an interval was computed for n = 0")
	}
	for n := 1; n < 40; n++ {
		for k := range n + 1 {
			i, _ := Wilson(k, n)
			if p := float64(k) / float64(n); i.Low > p || i.High < p || i.Low < 0 || i.High > 1 {
				t.Errorf("Wilson(%d, %d) = %v misses the rate", k, n, i)
			}
		}
	}
}

func TestConfusion(t *testing.T) {
	var c Confusion
	for _, e := range []struct{ malicious, flagged bool }{{true, true}, {true, true}, {true, true}, {true, false}, {false, true}, {false, false}, {false, false}, {false, false}, {false, false}} {
		c.Add(e.malicious, e.flagged)
	}
	if c != (Confusion{TP: 3, FP: 1, TN: 4, FN: 1}) {
		t.Fatalf("got %+v", c)
	}
	near(t, "precision", *rateOf("precision", c), .75, 12)
	near(t, "recall", *rateOf("recall", c), .75, 12)
	near(t, "F1", *rateOf("f1", c), .75, 12)
	near(t, "FPR", *rateOf("fpr", c), .2, 12)
	for name, undefined := range map[string]*float64{
		"precision of nothing flagged": rateOf("precision", Confusion{FN: 1, TN: 1}),
		"recall of nothing malicious":  rateOf("recall", Confusion{FP: 1, TN: 1}),
		"FPR of nothing benign":        rateOf("fpr", Confusion{TP: 1}),
		"F1 of only true negatives":    rateOf("f1", Confusion{TN: 9}),
	} {
		if undefined != nil {
			t.Errorf("%s is %v, want undefined", name, *undefined)
		}
	}
	if f := rateOf("f1", (Confusion{FN: 2, TN: 3})); f == nil || *f != 0 {
		t.Error("F1 of a detector that flags nothing must be 0")
	}
}

func TestPrecisionAtBaseRate(t *testing.T) {
	f := func(v float64) *float64 { return &v }
	// By hand: .9·.01 / (.9·.01 + .1·.99) = .009 / .108.
	near(t, "1:100", *PrecisionAtBaseRate(f(.9), f(.1), 100), .009/.108, 12)
	near(t, "1:1000", *PrecisionAtBaseRate(f(1), f(.01), 1000), .001/(.001+.00999), 12)
	near(t, "no false alarms", *PrecisionAtBaseRate(f(.3), f(0), 1000), 1, 12)
	near(t, "no hits", *PrecisionAtBaseRate(f(0), f(.1), 10), 0, 12)
	for _, p := range []*float64{PrecisionAtBaseRate(nil, f(0), 10), PrecisionAtBaseRate(f(0), nil, 10), PrecisionAtBaseRate(f(0), f(0), 10)} {
		if p != nil {
			t.Errorf("got %v, want undefined", *p)
		}
	}
}

func TestMoments(t *testing.T) {
	near(t, "mean", Mean([]float64{2, 4, 4, 4, 5, 5, 7, 9}), 5, 12)
	near(t, "sd", StdDev([]float64{2, 4, 4, 4, 5, 5, 7, 9}), math.Sqrt(32./7), 12)
	near(t, "sd of one", StdDev([]float64{3}), 0, 12)
	near(t, "mean of none", Mean(nil), 0, 12)
	if sd := StdDev([]float64{.8119047619047619, .8119047619047619, .8119047619047619}); sd != 0 {
		t.Errorf("equal values spread by %v", sd)
	}
}

// TestMinDetectable checks figures that the literature gives for paired designs
// at alpha .05 and power .80.
func TestMinDetectable(t *testing.T) {
	for _, tt := range []struct {
		sd   float64
		n    int
		want float64
	}{{.15, 150, .034}, {.15, 400, .021}, {.15, 1000, .013}, {.24, 150, .055}, {.24, 400, .034}, {.24, 1000, .021},
		{math.Sqrt(.1), 150, .072}, {math.Sqrt(.1), 400, .044}, {math.Sqrt(.1), 1000, .028}} {
		near(t, fmt.Sprintf("sd %.3f, n %d", tt.sd, tt.n), MinDetectable(tt.sd/math.Sqrt(float64(tt.n))), tt.want, 3)
	}
}

func TestStdError(t *testing.T) {
	v := []float64{1, 0, 0, 1, 1, 0, 1, 1}
	near(t, "alone", StdError(v, nil), StdDev(v)/math.Sqrt(8), 12)
	// Two groups of equal members are one observation each, so the error is
	// that of the two group means.
	near(t, "grouped", StdError([]float64{1, 1, 1, 0, 0, 0}, []string{"a", "a", "a", "b", "b", "b"}), StdDev([]float64{1, 0})/math.Sqrt(2), 12)
	near(t, "one group", StdError([]float64{1, 0}, []string{"a", "a"}), 0, 12)
}

func TestRandomizationTestExact(t *testing.T) {
	tests := []struct {
		name string
		d    []float64
		want float64
	}{
		{"nothing differs", []float64{0, 0, 0}, 1},
		{"empty", nil, 1},
		{"one", []float64{1}, 1},
		{"five alike", []float64{1, 1, 1, 1, 1, 0}, 2. / 32},
		{"six alike", []float64{-1, -1, -1, -1, -1, -1}, 2. / 64},
		// By hand: of the 8 sums of ±1 ±2 ±3 only ±6 and ±4 reach 4.
		{"mixed", []float64{-1, 2, 3}, 4. / 8},
		{"balanced", []float64{1, -1}, 1},
	}
	for _, tt := range tests {
		near(t, tt.name, RandomizationTest(tt.d, nil), tt.want, 12)
	}
	// Fisher's own example: Darwin's 15 pairs of maize. Of 32,768 assignments
	// 863 reach the observed total in one direction, so 1,726 in both (The
	// Design of Experiments, section 21).
	darwin := []float64{49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48}
	near(t, "Darwin's maize", RandomizationTest(darwin, nil), 1726./32768, 12)
	near(t, "members of a group change sign together",
		RandomizationTest([]float64{1, 1, 1, 1, 1, 1}, []string{"a", "a", "a", "b", "b", "b"}), 2./4, 12)
}

func TestRandomizationTestDrawn(t *testing.T) {
	// No drawn assignment of forty equal differences is as extreme as the
	// observed one, except with a probability of 2^-26: p is 1/(B+1).
	alike := make([]float64, 40)
	for i := range alike {
		alike[i] = .5
	}
	near(t, "forty alike", RandomizationTest(alike, nil), 1e-4, 12)
	r := rand.New(rand.NewPCG(3, 4))
	below := 0
	const trials = 300
	for range trials {
		d := make([]float64, 60)
		for i := range d {
			d[i] = r.NormFloat64()
		}
		if RandomizationTest(d, nil) < .05 {
			below++
		}
	}
	// Under the null hypothesis 5% of the tests are significant: 15 of 300, and
	// between 4 and 30 with a probability above .999.
	if below < 4 || below > 30 {
		t.Errorf("%d of %d tests without a true difference are significant", below, trials)
	}
}

func TestBootstrapMeans(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	n := 400
	values := make([]float64, n)
	for i := range values {
		values[i] = r.NormFloat64()
	}
	got := BootstrapMeans([][]float64{values}, nil)[0]
	half := z975 * StdDev(values) / math.Sqrt(float64(n))
	// The percentile interval of a normal sample is the normal one up to a
	// Monte Carlo error of about a twentieth.
	if math.Abs(got.Low-(Mean(values)-half)) > half/8 || math.Abs(got.High-(Mean(values)+half)) > half/8 {
		t.Errorf("got %v, want about %v ± %v", got, Mean(values), half)
	}

	constant := BootstrapMeans([][]float64{{.25, .25, .25}}, nil)[0]
	if constant != (Interval{.25, .25}) {
		t.Errorf("got %v", constant)
	}
	if got := BootstrapMeans([][]float64{{.5}}, nil)[0]; got != (Interval{.5, .5}) {
		t.Errorf("one value: %v", got)
	}
	if got := BootstrapMeans([][]float64{{}}, nil)[0]; got != (Interval{}) {
		t.Errorf("no value: %v", got)
	}
}

func TestBootstrapDrawsGroups(t *testing.T) {
	// Twenty groups of ten equal values carry the information of twenty values.
	r := rand.New(rand.NewPCG(7, 8))
	var values []float64
	var groups []string
	for g := range 20 {
		v := r.Float64()
		for range 10 {
			values = append(values, v)
			groups = append(groups, fmt.Sprint(g))
		}
	}
	alone := BootstrapMeans([][]float64{values}, nil)[0]
	grouped := BootstrapMeans([][]float64{values}, groups)[0]
	if ratio := (grouped.High - grouped.Low) / (alone.High - alone.Low); ratio < 2.5 || ratio > 4 {
		t.Errorf("the grouped interval is %.2f times as wide, want about sqrt(10)", ratio)
	}
}

func TestBootstrapIsDeterministicAndSharesDraws(t *testing.T) {
	values := []float64{0, 1, .5, .25, .75, 0, 1}
	other := []float64{1, 1, 1, 0, 0, 0, 0}
	one := BootstrapMeans([][]float64{values}, nil)
	two := BootstrapMeans([][]float64{other, values}, nil)
	if one[0] != two[1] {
		t.Errorf("%v alone, %v beside another column", one[0], two[1])
	}
	// The figures themselves are pinned: every machine, compiler and Go version
	// must give these exact bits.
	if got := fmt.Sprintf("%b %b", one[0].Low, one[0].High); got != pinned {
		t.Errorf("got %s, want %s", got, pinned)
	}
}

// pinned is the expected output of the generator and the sums for the seven
// values above.
const pinned = "7720456504063707p-55 7077085128725065p-53"

func TestQuantile(t *testing.T) {
	v := []float64{1, 2, 3, 4}
	for p, want := range map[float64]float64{0: 1, 1: 4, .5: 2.5, .25: 1.75} {
		near(t, fmt.Sprint(p), quantile(v, p), want, 12)
	}
	if !slices.IsSorted(v) {
		t.Error("changed")
	}
}

func BenchmarkBootstrap10000Queries(b *testing.B) {
	columns := make([][]float64, 14)
	for m := range columns {
		columns[m] = make([]float64, 10000)
		for i := range columns[m] {
			columns[m][i] = float64(i*7919%100) / 100
		}
	}
	for b.Loop() {
		BootstrapMeans(columns, nil)
	}
}

func BenchmarkRandomization10000Queries(b *testing.B) {
	d := make([]float64, 10000)
	for i := range d {
		d[i] = float64(i*7919%100)/100 - .5
	}
	for b.Loop() {
		RandomizationTest(d, nil)
	}
}

// rateOf computes a declared rate over one confusion matrix.
func rateOf(name string, c Confusion) *float64 {
	r, _ := DetectionRateByName(name)
	return r.Of(DetectionCounts{All: c})
}
