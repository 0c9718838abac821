package main

import (
	"fmt"

	"github.com/touchstone-eval/touchstone/metrics"
)

// change is how a proxy changes: the chance that a query's right tools move
// down, and the chance that they move up, in each run.
type change struct{ worse, better float64 }

// figures draws the figures of a proxy as the mean over so many runs. A proxy
// without noise gives the same answers in each run.
func (s *simulation) figures(c change, noise float64, runs int) [][]float64 {
	columns := make([][]float64, len(s.judge.names))
	for m := range columns {
		columns[m] = make([]float64, len(s.queries))
	}

	for i, q := range s.queries {
		fixed := s.moved(c)
		for range runs {
			steps := fixed
			if noise > 0 {
				steps += s.moved(change{noise / 2, noise / 2})
			}

			for m, v := range q.values(steps, s.judge.names) {
				columns[m][i] += v / float64(runs)
			}
		}
	}

	return columns
}

func (s *simulation) moved(c change) int {
	switch x := s.random.Float64(); {
	case x < c.worse:
		return step(s.random)
	case x < c.worse+c.better:
		return -step(s.random)
	}
	return 0
}

// effect is the expected change of each metric.
func (s *simulation) effect(c change) []float64 {
	const sets = 200
	before := s.figures(change{}, 0, 1)
	means := make([]float64, len(before))
	for range sets {
		for m, column := range s.figures(c, 0, 1) {
			means[m] += (metrics.Mean(column) - metrics.Mean(before[m])) / sets
		}
	}
	return means
}

// dropOf returns the change by which metric m falls by drop, where so many
// queries improve for each that gets worse.
func (s *simulation) dropOf(m int, drop, betterPerWorse float64) change {
	const trial = 0.4
	all := s.effect(change{trial, trial * betterPerWorse})
	worse := trial * drop / -all[m]
	return change{worse, worse * betterPerWorse}
}

// drops prints how often the gate finds a true drop of .02.
func (s *simulation) drops() error {
	fmt.Println("\nA drop of .02 in one metric, found by the tolerance alone and by the gate")
	fmt.Println("metric        queries that change      proxy          tolerance  gate")
	for m, name := range s.judge.names {
		for _, kind := range []struct {
			name           string
			betterPerWorse float64
		}{{"worse only", 0}, {"one better for two worse", 0.5}} {
			c := s.dropOf(m, 0.02, kind.betterPerWorse)
			for _, proxy := range []struct {
				name  string
				noise float64
			}{{"deterministic", 0}, {"noisy", 0.3}} {
				found, err := s.count(c, proxy.noise, 3)
				if err != nil {
					return err
				}

				fmt.Printf("%-12s  %-24s %-14s %s      %s\n", name, kind.name, proxy.name, share(found[0], s.sets),
					share(found[1], s.sets))
			}
		}
	}

	return nil
}

// count judges sets of a changed proxy, with so many runs before and after.
func (s *simulation) count(c change, noise float64, runs int) (found [2]int, err error) {
	for range s.sets {
		o, err := s.judge.of(s.figures(change{}, noise, runs), s.figures(c, noise, runs))
		if err != nil {
			return found, err
		}

		for i, failed := range []bool{o.tolerance, o.gate} {
			if failed {
				found[i]++
			}
		}
	}

	return found, nil
}

// noise prints how often the gate fails for a proxy that did not change, but
// whose answers differ from run to run.
func (s *simulation) noise() error {
	fmt.Println("\nFalse alarms for an unchanged proxy that is noisy")
	fmt.Println("share of noisy queries  runs  tolerance / standard error of the change  tolerance  gate")
	for _, proxy := range []struct {
		noise float64
		runs  int
	}{{0, 3}, {0.1, 3}, {0.2, 3}, {0.4, 3}, {0.6, 3}, {0.8, 3}, {1, 3}, {0.8, 2}, {1, 2}, {0.7, 1}, {1, 1}} {
		found, err := s.count(change{}, proxy.noise, proxy.runs)
		if err != nil {
			return err
		}

		ratio := "-"
		if se := s.runError(proxy.noise, proxy.runs); se > 0 {
			ratio = fmt.Sprintf("%.1f", s.judge.baseline.Thresholds.Retrieval[0].Tolerance/se)
		}

		fmt.Printf("%-22.1f  %-4d  %-40s  %s      %s\n", proxy.noise, proxy.runs, ratio, share(found[0], s.sets),
			share(found[1], s.sets))
	}

	return nil
}

// runError is the largest standard deviation of a metric's change that noise
// causes.
func (s *simulation) runError(noise float64, runs int) float64 {
	largest := 0.0
	changes := make([][]float64, len(s.judge.names))
	for range 300 {
		before, after := s.figures(change{}, noise, runs), s.figures(change{}, noise, runs)
		for m := range changes {
			changes[m] = append(changes[m], metrics.Mean(after[m])-metrics.Mean(before[m]))
		}
	}

	for _, c := range changes {
		largest = max(largest, metrics.StdDev(c))
	}

	return largest
}
