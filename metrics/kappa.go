package metrics

import (
	"math"
	"slices"
)

// Table counts pairs of judgements: Table[a][b] pairs got the grade a from the
// first judge and b from the second. It is square.
type Table [][]int

// NewTable returns an empty table of that many grades.
func NewTable(grades int) Table {
	t := make(Table, grades)
	for i := range t {
		t[i] = make([]int, grades)
	}
	return t
}

// Sum adds tables of the same number of grades. There is at least one.
func Sum(tables ...Table) Table {
	sum := NewTable(len(tables[0]))
	for _, t := range tables {
		for a := range t {
			for b, n := range t[a] {
				sum[a][b] += n
			}
		}
	}
	return sum
}

// Only returns a table of two grades: 1 for the given grade, 0 for all others.
func (t Table) Only(grade int) Table {
	two := NewTable(2)
	for a := range t {
		for b, n := range t[a] {
			x, y := 0, 0
			if a == grade {
				x = 1
			}

			if b == grade {
				y = 1
			}

			two[x][y] += n
		}
	}

	return two
}

// Total is the number of pairs.
func (t Table) Total() int {
	n := 0
	for _, row := range t {
		for _, count := range row {
			n += count
		}
	}
	return n
}

// Agreed is the number of pairs with the same grade twice.
func (t Table) Agreed() int {
	n := 0
	for i := range t {
		n += t[i][i]
	}
	return n
}

// marginals counts the grades of each judge.
func (t Table) marginals() (first, second []float64) {
	first, second = make([]float64, len(t)), make([]float64, len(t))
	for a := range t {
		for b, n := range t[a] {
			first[a] += float64(n)
			second[b] += float64(n)
		}
	}
	return first, second
}

// CohenKappa is the agreement of two judges beyond chance,
//
//	kappa = (po - pe) / (1 - pe)
//
// where po is the share of pairs with equal grades, and pe the share to expect
// if each judge gave the same grades at random (Cohen, "A coefficient of
// agreement for nominal scales", Educational and Psychological Measurement
// 20(1), 1960). It is 1 for perfect agreement, 0 for that of chance, and may be
// negative. ok is false if it is not defined: without pairs, or if both judges
// give one and the same grade to all.
func CohenKappa(t Table) (kappa float64, ok bool) {
	return weightedKappa(t, func(a, b int) float64 {
		if a == b {
			return 0
		}
		return 1
	})
}

// WeightedKappa is Cohen's kappa with quadratic weights: a disagreement between
// the grades a and b counts (a-b)^2 (Cohen, "Weighted kappa", Psychological
// Bulletin 70(4), 1968).
func WeightedKappa(t Table) (kappa float64, ok bool) {
	return weightedKappa(t, squared)
}

func squared(a, b int) float64 { return float64((a - b) * (a - b)) }

// weightedKappa is 1 minus the observed disagreement over the expected one.
func weightedKappa(t Table, weight func(a, b int) float64) (kappa float64, ok bool) {
	first, second := t.marginals()
	n := float64(t.Total())
	observed, expected := 0.0, 0.0
	for a := range t {
		for b := range t[a] {
			w := weight(a, b)
			observed += float64(w * float64(t[a][b]))
			expected += float64(w * first[a] * second[b])
		}
	}

	if n == 0 || expected == 0 {
		return 0, false
	}

	return 1 - float64(n*observed)/expected, true
}

// AlphaScale is the scale of grades for Krippendorff's alpha. It decides how
// much a disagreement counts.
type AlphaScale int

// Scales. On a nominal one all disagreements count the same, on an ordinal one
// by the number of judgements between the two grades, and on an interval one by
// the square of their difference.
const (
	Nominal AlphaScale = iota
	OrdinalScale
	IntervalScale
)

// KrippendorffAlpha is the agreement of any number of judges beyond chance. Each
// unit holds the grades, 0 to grades-1, that one thing got from the judges who
// judged it; a unit with fewer than two says nothing.
//
//	alpha = 1 - Do / De
//
// is 1 minus the observed disagreement within units over the one to expect if
// the grades had been dealt out at random (Krippendorff, "Computing
// Krippendorff's Alpha-Reliability", University of Pennsylvania, 2011). ok is
// false if it is not defined: without a unit of two grades, or if all grades are
// the same.
func KrippendorffAlpha(units [][]int, grades int, scale AlphaScale) (alpha float64, ok bool) {
	coincidences := make([][]float64, grades)
	for i := range coincidences {
		coincidences[i] = make([]float64, grades)
	}

	for _, unit := range units {
		if len(unit) < 2 {
			continue
		}

		share := 1 / float64(len(unit)-1)
		for i, a := range unit {
			for j, b := range unit {
				if i != j {
					coincidences[a][b] += share
				}
			}
		}
	}

	return alphaOf(coincidences, scale)
}

// Alpha is Krippendorff's alpha of two judges who both judged everything.
func (t Table) Alpha(scale AlphaScale) (alpha float64, ok bool) {
	coincidences := make([][]float64, len(t))
	for a := range t {
		coincidences[a] = make([]float64, len(t))
		for b := range t[a] {
			coincidences[a][b] = float64(t[a][b] + t[b][a])
		}
	}
	return alphaOf(coincidences, scale)
}

func alphaOf(coincidences [][]float64, scale AlphaScale) (alpha float64, ok bool) {
	values := make([]float64, len(coincidences))
	n := 0.0
	for a, row := range coincidences {
		for _, v := range row {
			values[a] += v
		}

		n += values[a]
	}

	observed, expected := 0.0, 0.0
	for a := range coincidences {
		for b := range coincidences[a] {
			d := scale.distance(values, a, b)
			observed += float64(d * coincidences[a][b])
			expected += float64(d * values[a] * values[b])
		}
	}

	if expected == 0 {
		return 0, false
	}

	return 1 - float64((n-1)*observed)/expected, true
}

// distance is the squared difference of two grades; values counts how often each
// grade was given.
func (s AlphaScale) distance(values []float64, a, b int) float64 {
	if a == b {
		return 0
	}

	switch s {
	case IntervalScale:
		return squared(a, b)
	case OrdinalScale:
		low, high := min(a, b), max(a, b)
		between := -(values[low] + values[high]) / 2
		for g := low; g <= high; g++ {
			between += values[g]
		}

		return float64(between * between)
	}

	return 1
}

// Jackknife is the 95% interval of a figure that is computed from groups, each
// independent of the others: the normal interval around the estimate with the
// standard error of the delete-one jackknife (Tukey 1958; Efron and Tibshirani,
// An Introduction to the Bootstrap, 1993, chapter 11). without returns the figure
// without one of the n groups; it is skipped where it is not defined. ok is false
// with fewer than two figures.
func Jackknife(estimate float64, n int, without func(group int) (float64, bool)) (interval Interval, ok bool) {
	var figures []float64
	for i := range n {
		if v, ok := without(i); ok {
			figures = append(figures, v)
		}
	}

	m := float64(len(figures))
	if m < 2 {
		return Interval{}, false
	}

	mean, sum := Mean(figures), 0.0
	for _, v := range figures {
		sum += float64((v - mean) * (v - mean))
	}

	half := float64(z975 * math.Sqrt((m-1)/m*sum))
	return Interval{estimate - half, estimate + half}, true
}

// Without returns the sum of all tables but one. total is the sum of all.
func Without(total, one Table) Table {
	rest := make(Table, len(total))
	for a := range total {
		rest[a] = slices.Clone(total[a])
		for b, n := range one[a] {
			rest[a][b] -= n
		}
	}
	return rest
}
