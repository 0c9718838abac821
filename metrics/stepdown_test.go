package metrics

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os/exec"
	"testing"
)

func TestStepDown(t *testing.T) {
	// Six queries of six are lost in both measures: 2 of 2^6 assignments are as extreme.
	lost := []float64{-1, -1, -1, -1, -1, -1, 0, 0}
	for m, p := range StepDown([][]float64{lost, lost}, nil).P {
		near(t, fmt.Sprint("alike ", m), p, 2./64, 12)
	}
	// A measure that moves at random beside it reaches the same statistic in 2 other assignments.
	// One in which nothing differs has p = 1.
	random := []float64{1, -1, 1, -1, 1, -1, 0, 0}
	got := StepDown([][]float64{random, make([]float64, 8), lost}, nil).P
	if got[2] != 4./64 || got[1] != 1 || got[0] < .5 {
		t.Errorf("got %v", got)
	}
	if got := StepDown([][]float64{{1, 1, -1, -1}}, []string{"a", "a", "b", "b"}).P; got[0] != 1 {
		t.Errorf("two groups that cancel: %v", got)
	}
	// The changes cancel within each group, so nothing differs between groups.
	if got := StepDown([][]float64{{.1, -.1, .3, -.3}}, []string{"a", "a", "b", "b"}); got.P[0] != 1 {
		t.Errorf("changes that cancel: %v", got)
	}
	for _, none := range [][][]float64{{}, {{}, {}}} {
		if got := StepDown(none, nil); len(got.P) != len(none) {
			t.Errorf("got %v of %v", got, none)
		}
	}
	// One column has the p-value of the test of one measure.
	d := []float64{.5, -.2, .3, .1, .9, -.4, .2, .2, -.1}
	near(t, "one column", StepDown([][]float64{d}, nil).P[0], RandomizationTest(d, nil), 12)
}

func TestCritical(t *testing.T) {
	five, six := make([]float64, 5), make([]float64, 6)
	for i := range five {
		five[i] = 1
	}
	for i := range six {
		six[i] = 1
	}
	if c, ok := StepDown([][]float64{five}, nil).Critical(.04); ok {
		t.Errorf("five groups cannot be significant, and the critical value is %v", c)
	}
	// Only the two assignments with equal signs reach sqrt(6).
	c, ok := StepDown([][]float64{six}, nil).Critical(.04)
	near(t, "six groups", c, math.Sqrt(6), 9)
	if !ok {
		t.Error("not ok")
	}
	random := rand.New(rand.NewPCG(1, 1))
	many := make([]float64, 300)
	for i := range many {
		many[i] = random.NormFloat64()
	}
	c, _ = StepDown([][]float64{many}, nil).Critical(.05)
	near(t, "many groups", c, 1.96, 1)
	if _, ok := (Adjusted{}).Critical(.05); ok {
		t.Error("nothing differs, and there is a critical value")
	}
}

// TestStepDownAgrees compares 200 sets with testdata/stepdown.py, over the same assignments.
func TestStepDownAgrees(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("there is no python3")
	}
	type set struct {
		Differences [][]float64 `json:"differences"`
		Groups      []string    `json:"groups"`
		Signs       [][]int     `json:"signs,omitempty"`
	}
	random := rand.New(rand.NewPCG(5, 6))
	var sets []set
	var want [][]float64
	for n := range 200 {
		queries, few := 30+random.IntN(60), n%2 == 0
		s := set{Differences: make([][]float64, 1+random.IntN(7)), Groups: make([]string, queries)}
		changed := 0
		for i := range queries {
			s.Groups[i] = fmt.Sprint("g", random.IntN(queries))
			if few && changed > 8 {
				continue
			}
			changed++
			shift := random.IntN(3+n%4) - 1
			for m := range s.Differences {
				if s.Differences[m] == nil {
					s.Differences[m] = make([]float64, queries)
				}
				// Fractions as of recall and reciprocal ranks; many are equal or 0.
				if random.IntN(2) == 0 {
					s.Differences[m][i] = float64(shift) / float64(1+random.IntN(5))
				}
			}
		}
		if few {
			want = append(want, StepDown(s.Differences, s.Groups).P)
			sets = append(sets, s)
			continue
		}
		// Assignments of the groups that differ, in the order of the program's rows.
		test := newStepDown(s.Differences, s.Groups)
		place := movingGroups(s.Differences, s.Groups)
		adjusted := test.adjusted(199, 1, func(_ int, signs []uint64) {
			row := make([]int, len(place))
			for i := range signs {
				signs[i] = random.Uint64()
			}
			next := 0
			for g, moves := range place {
				row[g] = 1
				if moves {
					if signs[next/64]>>(next%64)&1 == 1 {
						row[g] = -1
					}
					next++
				}
			}
			s.Signs = append(s.Signs, row)
		})
		want, sets = append(want, adjusted.P), append(sets, s)
	}
	input, err := json.Marshal(map[string]any{"sets": sets})
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(python, "testdata/stepdown.py")
	cmd.Stdin = bytes.NewReader(input)
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var got [][]float64
	if err := json.Unmarshal(out, &got); err != nil || len(got) != len(want) {
		t.Fatalf("%d sets of %d, %v", len(got), len(want), err)
	}
	below := 0
	for n := range want {
		for m := range want[n] {
			if math.Abs(got[n][m]-want[n][m]) > 1e-12 {
				t.Errorf("set %d, column %d: Python has %v, Go %v", n, m, got[n][m], want[n][m])
			}
			if want[n][m] < .2 {
				below++
			}
		}
	}
	if below < 50 {
		t.Errorf("only %d p-values are below .2", below)
	}
}

// movingGroups says of each group, in order of first appearance, whether any column differs in it.
func movingGroups(differences [][]float64, groups []string) []bool {
	sums, sizes := groupSums(differences, groups)
	moving := make([]bool, len(sizes))
	for i, s := range sums {
		moving[i/len(differences)] = moving[i/len(differences)] || math.Abs(s) > 1e-9
	}
	return moving
}

// Losses and gains are as frequent as they should be: in this many sets without a change, at most
// the level and in each direction half of it.
func TestStepDownLevel(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	const sets, level = 400, .1
	found := 0
	for range sets {
		d := make([][]float64, 5)
		for m := range d {
			d[m] = make([]float64, 14)
		}
		for i := range 14 {
			shared := random.NormFloat64()
			for m := range d {
				d[m][i] = shared + .3*random.NormFloat64()
			}
		}
		for _, p := range StepDown(d, nil).P {
			if p <= level {
				found++
				break
			}
		}
	}
	// Three standard errors of 400 draws are .045.
	if share := float64(found) / sets; share > level+.045 || share < level-.045 {
		t.Errorf("a change is found in %.3f of the sets without one", share)
	}
}

func BenchmarkStepDown(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 2))
	d := make([][]float64, 7)
	for m := range d {
		d[m] = make([]float64, 483)
		for i := range d[m] {
			d[m][i] = random.NormFloat64()
		}
	}
	for b.Loop() {
		StepDown(d, nil)
	}
}
