package metrics

import (
	"fmt"
	"math"
	"testing"
)

func closeTo(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-9 {
		t.Errorf("%s: got %.10f, want %.10f", what, got, want)
	}
}

func repeated(values map[float64]int) []float64 {
	var list []float64
	for _, v := range []float64{-1, 0, 0.5, 1} {
		for range values[v] {
			list = append(list, v)
		}
	}
	return list
}

// For independent values of 0 and 1 the variance that Wilson's interval has is
// n/(n-1) times smaller than the sample's, which the cap at n replaces.
func TestScoreMeanOfZerosAndOnesIsWilson(t *testing.T) {
	for _, tt := range []struct{ ones, n int }{{0, 12}, {12, 12}, {1, 1}, {7, 10}, {279, 280}} {
		got := ScoreMean(repeated(map[float64]int{0: tt.n - tt.ones, 1: tt.ones}), nil)
		want, _ := Wilson(tt.ones, tt.n)
		// The sample variance is p(1-p)·n/(n-1), so the effective size is n-1.
		if tt.ones != 0 && tt.ones != tt.n {
			want = WilsonOf(float64(tt.ones)/float64(tt.n), tt.n-1)
		}
		closeTo(t, fmt.Sprint(tt, " low"), got.Low, want.Low)
		closeTo(t, fmt.Sprint(tt, " high"), got.High, want.High)
	}
}

// Thirty values in ten groups that agree are ten observations.
func TestScoreMeanCountsGroups(t *testing.T) {
	var values []float64
	var groups []string
	for i := range 30 {
		values, groups = append(values, 1), append(groups, fmt.Sprint(i/3))
	}
	want, _ := Wilson(10, 10)
	if got := ScoreMean(values, groups); math.Abs(got.Low-want.Low) > 1e-9 || got.High != 1 {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestMeanIntervalsChooseTheMethod(t *testing.T) {
	few := repeated(map[float64]int{0: 3, 1: 7})
	extreme := repeated(map[float64]int{0: 5, 1: 95})
	middle := repeated(map[float64]int{0: 50, 1: 50})
	for _, tt := range []struct {
		name   string
		values []float64
		score  bool
	}{{"few", few, true}, {"extreme", extreme, true}, {"middle", middle, false}} {
		columns := [][]float64{tt.values}
		got, score, drawn := MeanIntervals(columns, nil)[0], ScoreMean(tt.values, nil), BootstrapMeans(columns, nil)[0]
		if want := map[bool]Interval{true: score, false: drawn}[tt.score]; got != want {
			t.Errorf("%s: got %+v, score %+v, bootstrap %+v", tt.name, got, score, drawn)
		}
	}
}

func TestScoreDifference(t *testing.T) {
	if got := ScoreDifference(make([]float64, 50), nil); got != (Interval{}) {
		t.Errorf("nothing differs: %+v", got)
	}
	// Eight of 280 are lost and none is won. Garwood's exact interval of a
	// Poisson count of 8 is 3.454 to 15.763. The score interval of 8 is
	// 8 + 1.92 ± 1.96·sqrt(8 + .96) = 4.05 to 15.79.
	got := ScoreDifference(repeated(map[float64]int{-1: 8, 0: 272}), nil)
	if got.Low > -15.6/280 || got.Low < -16.2/280 || got.High > -3.6/280 || got.High < -4.5/280 {
		t.Errorf("8 lost: %.3f to %.3f of 280", got.Low*280, got.High*280)
	}
	// Symmetric changes have a symmetric interval, near the normal one.
	got = ScoreDifference(repeated(map[float64]int{-1: 40, 0: 200, 1: 40}), nil)
	closeTo(t, "symmetric", got.Low, -got.High)
	if normal := 1.96 * math.Sqrt(80) / 280; math.Abs(got.High-normal) > 0.002 {
		t.Errorf("symmetric: %.4f, normal %.4f", got.High, normal)
	}
	// Changes that cancel within their groups leave an interval with a width.
	got = ScoreDifference([]float64{-1, 1, -1, 1, 0, 0}, []string{"a", "a", "b", "b", "c", "c"})
	if got.Low >= 0 || got.High <= 0 || got.Low < -1 {
		t.Errorf("cancelled: %+v", got)
	}
}

// The order of queries and the names of groups decide nothing.
// A loss of everything leaves nothing to estimate a variance from towards its own side.
func TestScoreDifferenceOfATotalLoss(t *testing.T) {
	for _, d := range []float64{-1, 1} {
		got := ScoreDifference([]float64{d, d, d, d}, nil)
		if math.IsNaN(got.Low) || math.IsNaN(got.High) || got.Low > d || got.High < d {
			t.Errorf("%v: got %v", d, got)
		}
	}
}

func TestScoreDifferenceHasNoOrder(t *testing.T) {
	var a, b []float64
	var groups, other []string
	for i := range 60 {
		a, groups = append(a, float64(i%5-3)/4), append(groups, fmt.Sprint(i/4))
	}
	for i := len(a) - 1; i >= 0; i-- {
		b, other = append(b, a[i]), append(other, "g"+groups[i])
	}
	x, y := ScoreDifference(a, groups), ScoreDifference(b, other)
	closeTo(t, "low", x.Low, y.Low)
	closeTo(t, "high", x.High, y.High)
}

func TestPrecisionAtBaseRateInterval(t *testing.T) {
	// Recall 116/119, FPR 1/121 at 1:100, as the scanner of the baseline.
	i, ok := PrecisionAtBaseRateInterval(116, 119, 1, 121, 100)
	recall, fpr := 116./119, 1./121
	value := *PrecisionAtBaseRate(&recall, &fpr, 100)
	if !ok || i.Low >= value || i.High <= value || i.Low < 0.15 || i.High > 0.9 {
		t.Errorf("got %+v around %.4f", i, value)
	}
	// No false alarm: the FPR is below .031, so the precision is at least
	// 1/(1 + 99·.031/.97) or about .24, and may be 1.
	i, ok = PrecisionAtBaseRateInterval(116, 119, 0, 121, 100)
	if !ok || i.High != 1 || math.Abs(i.Low-0.24) > 0.01 {
		t.Errorf("no false alarm: %+v", i)
	}
	// Nothing caught, but alarms: the precision may be 0.
	i, ok = PrecisionAtBaseRateInterval(0, 119, 5, 121, 100)
	if !ok || i.Low != 0 || i.High <= 0 || i.High > 0.05 {
		t.Errorf("nothing caught: %+v", i)
	}
	for _, tt := range [][4]int{{0, 0, 1, 5}, {1, 5, 0, 0}, {0, 5, 0, 5}} {
		if i, ok := PrecisionAtBaseRateInterval(tt[0], tt[1], tt[2], tt[3], 100); ok {
			t.Errorf("%v is defined: %+v", tt, i)
		}
	}
}
