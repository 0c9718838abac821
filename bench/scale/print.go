package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/touchstone-eval/touchstone/bench/internal/timing"
)

// row is a figure of a run.
type row struct {
	name string
	of   func(measured) float64
	show func(float64) string
}

func seconds(v float64) string {
	if v < 10 {
		return fmt.Sprintf("%.2f s", v)
	}
	return fmt.Sprintf("%.1f s", v)
}

func mebibytes(v float64) string { return fmt.Sprintf("%.0f MiB", v/(1<<20)) }

// rows are the wall time, processor time and peak memory of the whole run and of each
// stage.
func rows() []row {
	all := []row{
		{"wall", func(m measured) float64 { return m.used.Wall.Seconds() }, seconds},
		{"processor time", func(m measured) float64 { return m.used.CPU.Seconds() }, seconds},
		{"peak memory, all processes", func(m measured) float64 { return float64(m.used.Peak) }, mebibytes},
		{"peak memory, largest process", func(m measured) float64 { return float64(m.used.Largest) }, mebibytes},
	}
	for _, s := range stages {
		part := func(m measured) timing.PartUsage {
			if p := m.used.Parts[s]; p != nil {
				return *p
			}

			return timing.PartUsage{}
		}
		all = append(all,
			row{s + ", wall", func(m measured) float64 { return m.wall[s].Seconds() }, seconds},
			row{s + ", processor time", func(m measured) float64 { return part(m).CPU.Seconds() }, seconds},
			row{s + ", peak memory", func(m measured) float64 { return float64(part(m).Peak) }, mebibytes},
		)
	}

	return all
}

// printSizes prints a column for each size, and the exponents.
func printSizes(runs []measured) {
	var head strings.Builder
	n := make([]float64, len(runs))
	for i, m := range runs {
		n[i] = float64(m.tools)
		fmt.Fprintf(&head, " %d tools, %d servers |", m.tools, m.servers)
	}
	fmt.Printf("| %d queries |%s exponent | R² |\n|%s\n", runs[0].queries, head.String(),
		strings.Repeat("---|", len(runs)+3))
	printRows(runs, n)
}

// printQueries prints a column for each number of queries.
func printQueries(runs []measured) {
	var head strings.Builder
	n := make([]float64, len(runs))
	for i, m := range runs {
		n[i] = float64(m.queries)
		fmt.Fprintf(&head, " %d queries |", m.queries)
	}
	fmt.Printf("\n| %d tools, %d servers |%s exponent | R² |\n|%s\n", runs[0].tools, runs[0].servers, head.String(),
		strings.Repeat("---|", len(runs)+3))
	printRows(runs, n)
}

func printRows(runs []measured, n []float64) {
	for _, r := range rows() {
		fmt.Printf("| %s |", r.name)
		y := make([]float64, len(runs))
		positive := len(runs) > 1
		for i, m := range runs {
			y[i] = r.of(m)
			positive = positive && y[i] > 0
			fmt.Printf(" %s |", r.show(y[i]))
		}

		if !positive { // too short to measure
			fmt.Println(" | |")
			continue
		}

		b, r2 := timing.Growth(n, y)
		fmt.Printf(" %.2f | %.3f |\n", b, r2)
	}

	most := 0
	for _, m := range runs {
		most = max(most, m.used.Processes)
	}

	fmt.Printf("\nmemory: sum of PSS over all processes (at most %d at once), sampled every %d ms\n", most,
		lookEvery/time.Millisecond)
}
