package main

import (
	"fmt"
	"math"

	"github.com/touchstone-eval/touchstone/metrics"
)

// inferiority prints how often non-inferiority is shown for a proxy that is
// inferior by exactly the margin. The nominal share is .025.
func (s *simulation) inferiority() error {
	const margin = 0.03
	fmt.Println("\nNon-inferiority shown for a true drop of exactly the margin, .03 (nominal .025)")
	fmt.Println("queries that change           percentile bootstrap  score bound")
	for _, kind := range []struct {
		name          string
		worse, better float64
		size          func() float64
		byGroup       bool
	}{
		{"lost only", margin, 0, func() float64 { return 1 }, false},
		{"two lost for one won", 2 * margin, margin, func() float64 { return 1 }, false},
		{"half of the value lost", 2 * margin, 0, func() float64 { return 0.5 }, false},
		{"a tenth of the value lost", 10 * margin, 0, func() float64 { return 0.1 }, false},
		{"lost by groups", margin, 0, func() float64 { return 1 }, true},
	} {
		percentile, score := 0, 0
		for range s.sets {
			differences := make([]float64, len(s.groups))
			drawn := make(map[string]float64)
			for i, g := range s.groups {
				x, known := drawn[g]
				if !known || !kind.byGroup {
					x = s.random.Float64()
					drawn[g] = x
				}

				switch {
				case x < kind.worse:
					differences[i] = -kind.size()
				case x < kind.worse+kind.better:
					differences[i] = kind.size()
				}
			}

			if metrics.BootstrapMeans([][]float64{differences}, s.groups)[0].Low > -margin {
				percentile++
			}

			if metrics.ScoreDifference(differences, s.groups).Low > -margin {
				score++
			}
		}

		fmt.Printf("%-28s  %-20s  %s\n", kind.name, share(percentile, s.sets), share(score, s.sets))
	}

	return nil
}

// coverage prints how often an interval of a mean contains the true mean.
func (s *simulation) coverage() error {
	fmt.Println("\nCoverage of the 95% interval of a mean")
	fmt.Println("queries  values                        bootstrap  interval")
	reciprocal := func(first float64) func() float64 {
		return func() float64 {
			if s.random.Float64() < first {
				return 1
			}

			return 1 / float64(2+s.random.IntN(9))
		}
	}
	ones := func(p float64) func() float64 {
		return func() float64 {
			if s.random.Float64() < p {
				return 1
			}

			return 0
		}
	}
	later := 0.0 // the mean of 1/2 to 1/10
	for rank := 2; rank <= 10; rank++ {
		later += 1 / float64(rank) / 9
	}

	for _, n := range []int{5, 10, 19, 50, 150, 280} {
		for _, kind := range []struct {
			name string
			true float64
			draw func() float64
			size int // queries in a group, which have one value
		}{
			{"0 or 1, mean .50", 0.5, ones(0.5), 1},
			{"0 or 1, mean .90", 0.9, ones(0.9), 1},
			{"0 or 1, mean .98", 0.98, ones(0.98), 1},
			{"0 or 1, mean .90, groups of 3", 0.9, ones(0.9), 3},
			{"1/rank, first .50", 0.5 + 0.5*later, reciprocal(0.5), 1},
			{"1/rank, first .95", 0.95 + 0.05*later, reciprocal(0.95), 1},
		} {
			var hits [2]int
			for range s.sets {
				values, groups := make([]float64, n), make([]string, n)
				for i := range values {
					if i%kind.size == 0 {
						values[i] = kind.draw()
					} else {
						values[i] = values[i-1]
					}

					groups[i] = fmt.Sprint(i / kind.size)
				}

				columns := [][]float64{values}
				for k, interval := range []metrics.Interval{metrics.BootstrapMeans(columns, groups)[0],
					metrics.MeanIntervals(columns, groups)[0]} {
					if interval.Low <= kind.true && kind.true <= interval.High {
						hits[k]++
					}
				}
			}

			fmt.Printf("%-7d  %-28s  %s      %s\n", n, kind.name, share(hits[0], s.sets), share(hits[1], s.sets))
		}
	}

	return nil
}

// effects prints how often the test finds a change where there is none, if all
// queries for a tool change together: with groups by the most relevant tool,
// and with the groups that the evaluation uses.
func (s *simulation) effects() error {
	byTool, byGroup := 0, 0
	for range s.sets {
		effect := make(map[string]float64)
		differences, first := make([]float64, len(s.tools)), make([]string, len(s.tools))
		for i, tools := range s.tools {
			for _, t := range tools {
				if _, known := effect[t]; !known {
					effect[t] = s.random.NormFloat64()
				}

				differences[i] += effect[t] / math.Sqrt(float64(len(tools)))
			}

			first[i] = tools[0]
		}

		if metrics.RandomizationTest(differences, first) < 0.05 {
			byTool++
		}

		if metrics.RandomizationTest(differences, s.groups) < 0.05 {
			byGroup++
		}
	}

	fmt.Printf("\np < .05 without a change, if each tool moves its queries: %s with groups by the most relevant "+
		"tool, %s by connected tools\n", share(byTool, s.sets), share(byGroup, s.sets))
	return nil
}

// baseRates prints how often the interval of the precision at a base rate
// contains the true precision.
func (s *simulation) baseRates() error {
	fmt.Println("\nCoverage of the 95% interval of the precision at a base rate of 1:100, 119 attacks and 121 " +
		"benign entries")
	fmt.Println("true recall  true FPR  coverage  defined")
	const attacks, benign, oneIn = 119, 121, 100
	draw := func(p float64, n int) int {
		k := 0
		for range n {
			if s.random.Float64() < p {
				k++
			}
		}

		return k
	}
	for _, recall := range []float64{0.2, 0.6, 0.95} {
		for _, fpr := range []float64{0.005, 0.02, 0.2} {
			truth := *metrics.PrecisionAtBaseRate(&recall, &fpr, oneIn)
			hits, defined := 0, 0
			for range s.sets * 5 {
				i, ok := metrics.PrecisionAtBaseRateInterval(draw(recall, attacks), attacks, draw(fpr, benign), benign,
					oneIn)
				if !ok {
					continue
				}

				defined++
				if i.Low <= truth && truth <= i.High {
					hits++
				}
			}

			fmt.Printf("%-11.2f  %-8.3f  %s     %s\n", recall, fpr, share(hits, defined), share(defined, s.sets*5))
		}
	}

	return nil
}
