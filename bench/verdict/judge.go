package main

import (
	"fmt"
	"slices"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/report/significance"
	"github.com/touchstone-eval/touchstone/metrics"
	"github.com/touchstone-eval/touchstone/stages/gate"
)

// judge puts simulated figures to the gate.
type judge struct {
	baseline contracts.Baseline
	names    []string
	groups   []string
}

// newJudge keeps the thresholds of the baseline for retrieval.
func newJudge(b contracts.Baseline, groups []string) judge {
	j := judge{groups: groups, names: contracts.MetricNames}
	j.baseline = contracts.Baseline{Version: b.Version, Data: b.Data, Metrics: make(contracts.RetrievalMetrics)}
	j.baseline.Thresholds.Retrieval = slices.Clone(b.Thresholds.Retrieval)
	return j
}

// outcome says by which rules a set of figures fails.
type outcome struct {
	// tolerance: a metric is worse by more than its tolerance. gate: the gate
	// fails. worse: a metric is significantly worse, by however little.
	tolerance, gate, worse bool
}

// of judges figures against earlier ones, both as one column of values for each
// judged metric.
func (j judge) of(before, after [][]float64) (outcome, error) {
	var o outcome
	b := j.baseline
	b.Metrics = make(contracts.RetrievalMetrics)
	agg := contracts.Aggregate{Data: b.Data, Baseline: contracts.BaselineStatus{Version: b.Version, Comparable: true}}
	for m, c := range significance.Paired(j.names, before, after, j.groups) {
		b.Metrics[j.names[m]] = c.Baseline
		agg.Retrieval.Metrics = append(agg.Retrieval.Metrics, contracts.MetricSummary{
			Metric: j.names[m], Mean: metrics.Mean(after[m]), Comparison: &c,
		})
		o.worse = o.worse || c.Verdict == contracts.Regressed
		for _, t := range b.Thresholds.Retrieval {
			o.tolerance = o.tolerance || t.Metric == j.names[m] && -c.Delta > t.Tolerance
		}
	}

	agg.Retrieval.Queries, agg.Retrieval.PerQuery = len(before[0]), make([]contracts.QuerySummary, 1)
	verdict, err := gate.Judge(agg, b, 0)
	if err != nil {
		return o, fmt.Errorf("the simulated figures: %w", err)
	}

	o.gate = !verdict.Passed
	return o, nil
}
