// Package power computes how small a change of a retriever a golden set can
// find. It compares runs over the set, and takes how much their figures differ
// from query to query as the noise in which a change has to be found.
package power

import (
	"fmt"
	"math"
	"slices"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/data/pool"
	"github.com/touchstone-eval/touchstone/metrics"
)

// Power is the answer for one golden set. Queries are those with a right tool,
// and Groups the number of groups of queries that are independent of each other.
type Power struct {
	Queries int      `json:"queries"`
	Groups  int      `json:"groups"`
	Metrics []Metric `json:"metrics"`
}

// Metric is the answer for one metric. Pairs are sorted by what they detect.
type Metric struct {
	Metric string `json:"metric"`
	Pairs  []Pair `json:"pairs"`
	Sizes  []Size `json:"sizes"`
	// Needed is the number of queries that Options.Detect takes, for the median
	// pair. It is nil if nothing was asked.
	Needed *int `json:"needed,omitempty"`
}

// Pair is two runs: the mean and the standard deviation of the differences of
// their queries, and the smallest true difference that the set detects with a
// power of .80 where differences vary as much.
type Pair struct {
	A          string  `json:"a"`
	B          string  `json:"b"`
	Delta      float64 `json:"delta"`
	SD         float64 `json:"sd"`
	Detectable float64 `json:"detectable"`
}

// Size is what a set of so many queries of the same kind would detect: for the
// pair that differs least from query to query, for the median one and for the
// one that differs most.
type Size struct {
	Queries int     `json:"queries"`
	Least   float64 `json:"least"`
	Median  float64 `json:"median"`
	Most    float64 `json:"most"`
}

// Options are the questions. Sizes are numbers of queries; Detect is a
// difference, or 0.
type Options struct {
	Metrics []string
	Sizes   []int
	Detect  float64
}

// Of compares all pairs of at least two runs over the queries of a golden set
// that have a right tool. groups names the group of each of these, in their
// order; queries of a group are not independent.
//
// The smallest difference is 2.8 standard errors of the mean difference for one
// test (metrics.MinDetectableOf), and the standard error falls with the root of the
// number of queries.
func Of(golden contracts.GoldenSet, groups []string, runs []pool.Run, o Options) (*Power, error) {
	queries := Answerable(golden)
	if len(runs) < 2 {
		return nil, fmt.Errorf("there are %d runs, and a difference needs 2", len(runs))
	}

	if len(queries) < 2 {
		return nil, fmt.Errorf("the golden set has %d queries with a right tool, and a variance needs 2", len(queries))
	}

	p := &Power{Queries: len(queries), Groups: countDistinct(groups)}
	for _, name := range o.Metrics {
		m, ok := metrics.RankingByName(name)
		if !ok {
			return nil, fmt.Errorf("there is no metric %q; use one of %v", name, contracts.MetricNames)
		}

		p.Metrics = append(p.Metrics, ofMetric(m, queries, groups, runs, o))
	}

	return p, nil
}

// Answerable returns the queries with a right tool.
func Answerable(golden contracts.GoldenSet) []contracts.Query {
	return slices.DeleteFunc(slices.Clone(golden.Queries), func(q contracts.Query) bool { return !q.Answerable() })
}

// values returns the metric of a run for each query.
func values(m metrics.RankingMetric, queries []contracts.Query, run pool.Run) []float64 {
	column := make([]float64, len(queries))
	for i, q := range queries {
		judged := make(map[string]int, len(q.Labels))
		for _, l := range q.Labels {
			judged[l.ToolID] = l.Relevance
		}
		column[i] = m.Compute(metrics.EvaluateTopic(run.Found[q.ID], judged, 1))
	}
	return column
}

// Figure is the mean of a metric over the queries of a golden set that have a
// right tool, with its 95% score interval.
type Figure struct {
	Metric   string             `json:"metric"`
	Mean     float64            `json:"mean"`
	Interval contracts.Interval `json:"interval"`
}

// Figures computes the metrics that a first baseline judges of one run. groups is
// as in Of.
func Figures(golden contracts.GoldenSet, groups []string, run pool.Run) []Figure {
	queries := Answerable(golden)
	var figures []Figure
	for _, m := range metrics.Ranking() {
		if !m.Gated {
			continue
		}
		column := values(m, queries, run)
		i := metrics.ScoreMean(column, groups)
		figures = append(figures, Figure{m.Name, metrics.Mean(column), contracts.Interval{Low: i.Low, High: i.High}})
	}
	return figures
}

func ofMetric(m metrics.RankingMetric, queries []contracts.Query, groups []string, runs []pool.Run, o Options) Metric {
	columns := make([][]float64, len(runs))
	for r, run := range runs {
		columns[r] = values(m, queries, run)
	}

	answer := Metric{Metric: m.Name}
	for a := range runs {
		for b := a + 1; b < len(runs); b++ {
			differences := make([]float64, len(queries))
			for i := range differences {
				differences[i] = columns[b][i] - columns[a][i]
			}

			answer.Pairs = append(answer.Pairs, Pair{
				A: runs[a].Name, B: runs[b].Name, Delta: metrics.Mean(differences), SD: metrics.StdDev(differences),
				Detectable: metrics.MinDetectable(metrics.StdError(differences, groups)),
			})
		}
	}

	slices.SortStableFunc(answer.Pairs, func(a, b Pair) int {
		switch {
		case a.Detectable < b.Detectable:
			return -1
		case a.Detectable > b.Detectable:
			return 1
		}

		return 0
	})
	detectable := make([]float64, len(answer.Pairs))
	for i, pair := range answer.Pairs {
		detectable[i] = pair.Detectable
	}

	middle := median(detectable)
	for _, n := range o.Sizes {
		scale := math.Sqrt(float64(len(queries)) / float64(n))
		answer.Sizes = append(answer.Sizes,
			Size{Queries: n, Least: detectable[0] * scale, Median: middle * scale,
				Most: detectable[len(detectable)-1] * scale})
	}

	if o.Detect > 0 {
		needed := int(math.Ceil(float64(len(queries)) * math.Pow(middle/o.Detect, 2)))
		answer.Needed = &needed
	}

	return answer
}

func median(sorted []float64) float64 {
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

func countDistinct(list []string) int {
	list = slices.Clone(list)
	slices.Sort(list)
	return len(slices.Compact(list))
}
