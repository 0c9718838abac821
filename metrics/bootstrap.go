package metrics

import (
	"math"
	"slices"
)

// bootstrapSamples is B. With 2,000 the 2.5% quantile rests on the 50 smallest
// means, and its Monte Carlo error is a twentieth of the interval's width.
const bootstrapSamples = 2000

// BootstrapMeans returns, for each column of values, the 95% percentile
// bootstrap interval of its mean (Efron and Tibshirani, An Introduction to the
// Bootstrap, 1993, chapter 13). columns[m][i] is measure m of query i.
// groups[i] names the group of query i. Groups are drawn instead of single
// queries, because queries for the same tool rise and fall together (the
// cluster bootstrap; Davison and Hinkley, Bootstrap Methods and their
// Application, 1997, section 3.8). If groups is nil, each query is a group. All
// columns use the same draws.
//
// With fewer than two groups there is nothing to resample, and each interval is
// the mean alone.
func BootstrapMeans(columns [][]float64, groups []string) []Interval {
	intervals := make([]Interval, len(columns))
	if len(columns) == 0 {
		return intervals
	}

	sums, sizes := groupSums(columns, groups)
	n := len(sizes)
	if n < 2 {
		for m, column := range columns {
			mean := Mean(column)
			intervals[m] = Interval{mean, mean}
		}

		return intervals
	}

	width := len(columns)
	means := make([][]float64, width)
	for m := range means {
		means[m] = make([]float64, bootstrapSamples)
	}

	r := newRandom(1)
	total := make([]float64, width)
	for b := range bootstrapSamples {
		clear(total)
		size := 0
		for range n {
			g := r.below(n)
			size += sizes[g]
			for m, v := range sums[g*width : (g+1)*width] {
				total[m] += v
			}
		}

		for m, t := range total {
			means[m][b] = t / float64(size)
		}
	}

	for m := range means {
		slices.Sort(means[m])
		intervals[m] = Interval{quantile(means[m], 0.025), quantile(means[m], 0.975)}
	}

	return intervals
}

// groupSums adds up each column within each group. The result holds
// len(columns) sums for each group, in order of first appearance, and the
// number of queries in each group.
func groupSums(columns [][]float64, groups []string) (sums []float64, sizes []int) {
	width := len(columns)
	place := make(map[string]int)
	for i := range columns[0] {
		g := i
		if groups != nil {
			known, ok := place[groups[i]]
			if !ok {
				known = len(sizes)
				place[groups[i]] = known
			}

			g = known
		}

		if g == len(sizes) {
			sizes = append(sizes, 0)
			sums = append(sums, make([]float64, width)...)
		}

		sizes[g]++
		for m := range columns {
			sums[g*width+m] += columns[m][i]
		}
	}

	return sums, sizes
}

// quantile interpolates linearly between the order statistics of sorted
// (definition 7 of Hyndman and Fan, The American Statistician 50(4), 1996).
func quantile(sorted []float64, p float64) float64 {
	at := float64(p * float64(len(sorted)-1))
	low := int(math.Floor(at))
	if low+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	return sorted[low] + float64((at-float64(low))*(sorted[low+1]-sorted[low]))
}
