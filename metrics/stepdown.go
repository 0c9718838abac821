package metrics

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
)

// Adjusted is the result of StepDown.
type Adjusted struct {
	// P is the p-value of each column.
	P []float64
	// maxima are the largest statistics of the assignments, in ascending order.
	maxima []float64
}

// StepDown tests at once, for each column of paired differences, whether its
// mean is zero. Its two-sided p-values are adjusted for all columns: the chance
// that any column without a change gets a p-value of at most α is at most α, and
// by symmetry half of that for a loss and half for a gain. differences[m][i] is
// the change of measure m in query i. Groups are as in BootstrapMeans.
//
// It is the step-down test of the maximum (Westfall and Young, Resampling-Based
// Multiple Testing, 1993, algorithm 2.8; Romano and Wolf, JASA 100(469), 2005,
// show that it controls the error) over the paired randomization of
// RandomizationTest. An assignment gives each group a sign, which all columns
// share, so the test knows how the columns depend on each other: seven measures
// of the same ranked lists cost little more than one. With the sum s_mg of column
// m over group g, the statistic of a column is
//
//	T_m = |Σ_g s_mg| / sqrt(Σ_g s_mg²)
//
// Signs do not change the denominator, and the absolute value of Student's t of
// the sums is a growing function of T_m that is the same for all columns, so the
// test is that of the studentized mean. Let T_(1) ≥ T_(2) ≥ ... be the observed
// statistics in order and T*_(k) those of an assignment in the same order of
// columns. Then
//
//	p_(j) = max(p_(j-1), share of assignments with max_{k ≥ j} T*_(k) ≥ T_(j))
//
// Assignments are as in RandomizationTest: all of them if at most 16 groups
// differ, and otherwise 9,999 seeded ones and the observed one. A column in which
// nothing differs has p = 1.
func StepDown(differences [][]float64, groups []string) Adjusted {
	if len(differences) == 0 || len(differences[0]) == 0 {
		return Adjusted{P: ones(len(differences))}
	}

	t := newStepDown(differences, groups)
	if t.rows() <= exactGroups {
		return t.adjusted(1<<t.rows(), 0, func(assignment int, signs []uint64) { signs[0] = uint64(assignment) })
	}

	r := newRandom(2)
	return t.adjusted(randomAssignments, 1, func(_ int, signs []uint64) {
		for i := range signs {
			signs[i] = r.bits()
		}
	})
}

// Critical is the smallest statistic of which a column can have a p-value of at
// most level, if no other column has one. ok is false if there is none, because
// too few groups differ: with n of them no p-value is below 2/2^n.
func (a Adjusted) Critical(level float64) (statistic float64, ok bool) {
	// Of equal maxima, all or none are extreme.
	n := len(a.maxima)
	for i := n - int(math.Floor(level*float64(n))); i < n; i++ {
		if i == 0 || a.maxima[i]-a.maxima[i-1] > 1e-9 {
			return a.maxima[i], true
		}
	}
	return 0, false
}

// stepDown holds the sums of a test in the order of the observed statistics.
type stepDown struct {
	columns int
	// order has the places of the columns in which something differs, the largest
	// statistic first, and observed their statistics.
	order    []int
	observed []float64
	// sums holds a row for each group that differs, with a sum for each column of
	// order, divided by the root of its squares.
	sums []float64
}

func newStepDown(differences [][]float64, groups []string) stepDown {
	t := stepDown{columns: len(differences)}
	sums, _ := groupSums(differences, groups)
	total, norm := make([]float64, t.columns), make([]float64, t.columns)
	for i, s := range sums {
		total[i%t.columns] += s
		norm[i%t.columns] += float64(s * s)
	}

	statistic := make([]float64, t.columns)
	for m := range norm {
		// Changes that cancel within a group leave a rest of rounding errors.
		if norm[m] = math.Sqrt(norm[m]); norm[m] > 1e-9 {
			t.order = append(t.order, m)
			statistic[m] = math.Abs(total[m]) / norm[m]
		}
	}

	slices.SortStableFunc(t.order, func(a, b int) int { return cmp.Compare(statistic[b], statistic[a]) })
	for _, m := range t.order {
		t.observed = append(t.observed, statistic[m])
	}

	for g := 0; g < len(sums); g += t.columns {
		row := sums[g : g+t.columns]
		if !slices.ContainsFunc(t.order, func(m int) bool { return math.Abs(row[m]) > 1e-9 }) {
			continue
		}

		for _, m := range t.order {
			t.sums = append(t.sums, row[m]/norm[m])
		}
	}

	return t
}

// rows is the number of groups that differ.
func (t stepDown) rows() int { return len(t.sums) / max(1, len(t.order)) }

// adjusted returns the p-values of the columns over so many assignments, which
// draw writes as bits, one for each group. extra is the number of further
// assignments that count as extreme: 1 for the observed one if draw does not give
// it.
func (t stepDown) adjusted(assignments, extra int, draw func(assignment int, signs []uint64)) Adjusted {
	a, width := Adjusted{P: ones(t.columns)}, len(t.order)
	if width == 0 {
		return a
	}

	a.maxima = make([]float64, assignments)
	extreme, totals := make([]int, width), make([]float64, width)
	signs := make([]uint64, (t.rows()+63)/64)
	tables := t.tables()
	for i := range a.maxima {
		draw(i, signs)
		clear(totals)
		for block, table := range tables {
			chosen := int(signs[block/8] >> (block % 8 * 8) & 0xff)
			for k, s := range table[chosen*width : (chosen+1)*width] {
				totals[k] += s
			}
		}

		highest := 0.0
		for k := width - 1; k >= 0; k-- {
			highest = max(highest, math.Abs(totals[k]))
			// Statistics that are mathematically equal may differ in the last bits.
			if highest >= t.observed[k]-1e-9 {
				extreme[k]++
			}
		}

		a.maxima[i] = highest
	}

	slices.Sort(a.maxima)

	smallest := 0.0
	for k, m := range t.order {
		smallest = max(smallest, float64(extreme[k]+extra)/float64(assignments+extra))
		a.P[m] = smallest
	}

	return a
}

// tables holds, for each eight rows, their sums under all 256 choices of signs: a
// set bit changes the sign of a row. They make an assignment eight times as fast.
// Missing rows count as 0.
func (t stepDown) tables() [][]float64 {
	width := len(t.order)
	var tables [][]float64
	for first := 0; first < t.rows(); first += 8 {
		rows := t.sums[first*width : min(len(t.sums), (first+8)*width)]
		table := make([]float64, 256*width)
		for i, s := range rows {
			table[i%width] += s
		}

		for chosen := 1; chosen < 256; chosen++ {
			row, without := bits.TrailingZeros(uint(chosen)), chosen&(chosen-1)
			for k := range width {
				table[chosen*width+k] = table[without*width+k]
				if i := row*width + k; i < len(rows) {
					table[chosen*width+k] -= 2 * rows[i]
				}
			}
		}

		tables = append(tables, table)
	}

	return tables
}

func ones(n int) []float64 {
	list := make([]float64, n)
	for i := range list {
		list[i] = 1
	}
	return list
}
