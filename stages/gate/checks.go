package gate

import (
	"fmt"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/report/significance"
)

// Subject is the subject of the checks of retrieval. The subject of a
// detector's checks is its name.
const Subject = "retrieval"

// Comparisons of a check.
const (
	atLeast = ">="
	atMost  = "<="
	above   = ">"
	below   = "<"
)

// epsilon lets a value exactly at its bound pass: the bound is a difference of
// two decimals, and binary floating point may miss it by one bit. epsilon is
// far below the smallest change that any data set can show.
const epsilon = 1e-12

// holds compares a check's value with its bound. A check of a significant change
// also holds if the change is not significant.
func holds(c contracts.GateCheck) bool {
	if c.PValue != nil && *c.PValue > significance.Level {
		return true
	}

	switch c.Comparison {
	case atLeast:
		return c.Value >= c.Bound-epsilon
	case above:
		return c.Value > c.Bound+epsilon
	case below:
		return c.Value < c.Bound-epsilon
	}
	return c.Value <= c.Bound+epsilon
}

// retrievalChecks judges each metric that the baseline has, then the share of
// queries that errored.
func retrievalChecks(agg contracts.Aggregate, b contracts.Baseline, moved *moveSet) []contracts.GateCheck {
	var checks []contracts.GateCheck
	for _, m := range agg.Retrieval.Metrics {
		if m.Comparison == nil {
			continue
		}

		m = overCommon(m)
		c := metricCheck(m, threshold(b, m.Metric), b.Version)
		c.Rule = onCommon(c.Rule, m, agg.Retrieval.Queries)
		c.Changed = moved.ids(Subject, func(moved move) bool { return moved.changed[m.Metric] })
		c.Passed = holds(c)
		checks = append(checks, c)
	}

	c := contracts.GateCheck{
		Subject: Subject, Metric: "errored",
		Value: share(agg.Retrieval.Errored, agg.Retrieval.Queries), Bound: b.Thresholds.MaxErrored, Comparison: atMost,
		Rule: fmt.Sprintf("%d of %d queries ended in an error; %s (max_errored of %s)", agg.Retrieval.Errored,
			agg.Retrieval.Queries, mayFail("query", b.Thresholds.MaxErrored), b.Version),
		Changed: moved.ids(Subject, func(m move) bool { return m.State == contracts.ChangeErrored }),
	}
	c.Passed = holds(c)
	return append(checks, c)
}

// unjudged lists the measured metrics that the baseline lacks, in the order of
// reports, the detectors without a threshold, and the metrics of the baseline
// that are no longer measured.
func unjudged(agg contracts.Aggregate, b contracts.Baseline) []contracts.UnjudgedMetric {
	var list []contracts.UnjudgedMetric
	for _, m := range agg.Retrieval.Metrics {
		if _, ok := b.Metrics[m.Metric]; !ok {
			list = append(list, contracts.UnjudgedMetric{
				Subject: Subject, Metric: m.Metric, State: contracts.ChangeNew, Value: m.Mean,
				Note: "not in the baseline, not judged; touchstone baseline update adds it",
			})
		}
	}

	list = append(list, unjudgedDetectors(agg, b)...)
	for _, name := range metricsOf(b.Metrics, nil) {
		if _, ok := metric(agg, name); !ok {
			list = append(list, contracts.UnjudgedMetric{
				Subject: Subject, Metric: name, State: contracts.ChangeRemoved, Value: b.Metrics[name],
				Note: "no longer measured, not judged; touchstone baseline update removes it",
			})
		}
	}

	return list
}

func share(k, n int) float64 { return float64(k) / float64(n) }

// figure formats a figure with four decimals, and a threshold without its
// trailing zeros.
func figure(v float64) string {
	s := fmt.Sprintf("%.4f", v)
	for s[len(s)-1] == '0' && s[len(s)-3] != '.' {
		s = s[:len(s)-1]
	}
	return s
}

// mayFail states the limit on failures, such as "no query may fail".
func mayFail(thing string, most float64) string {
	if most == 0 {
		return "no " + thing + " may fail"
	}
	return fmt.Sprintf("the share of failures must be at most %s", figure(most))
}
