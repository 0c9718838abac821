package gate

import (
	"fmt"
	"slices"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/stages/internal/detection"
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

// holds compares a check's value with its bound.
func holds(c contracts.GateCheck) bool {
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

// retrievalChecks judges each metric that has a threshold, then the share of
// queries that errored.
func retrievalChecks(agg contracts.Aggregate, b contracts.Baseline, moved *moveSet) []contracts.GateCheck {
	var checks []contracts.GateCheck
	verdicts := verdicts(agg, b)
	for _, t := range b.Thresholds.Retrieval {
		m, _ := metric(agg, t.Metric)
		m = overCommon(m)
		c := metricCheck(m, t, verdicts[t.Metric], b.Version)
		c.Rule = onCommon(c.Rule, m, agg.Retrieval.Queries)
		c.Moved = moved.ids(Subject, func(m move) bool { return m.changed[t.Metric] })
		c.Passed = holds(c)
		checks = append(checks, c)
	}
	c := contracts.GateCheck{
		Subject: Subject, Metric: "errored",
		Value: share(agg.Retrieval.Errored, agg.Retrieval.Queries), Bound: b.Thresholds.MaxErrored, Comparison: atMost,
		Rule:  fmt.Sprintf("%d of %d queries ended in an error; %s (max_errored of %s)", agg.Retrieval.Errored, agg.Retrieval.Queries, mayFail("query", b.Thresholds.MaxErrored), b.Version),
		Moved: moved.ids(Subject, func(m move) bool { return m.State == contracts.MoveErrored }),
	}
	c.Passed = holds(c)
	return append(checks, c)
}

// unjudged lists the measured metrics that the baseline lacks, in the order of
// reports, followed by the metrics of the baseline that are no longer measured.
func unjudged(agg contracts.Aggregate, b contracts.Baseline) []contracts.UnjudgedMetric {
	var list []contracts.UnjudgedMetric
	for _, m := range agg.Retrieval.Metrics {
		if _, ok := b.Metrics[m.Metric]; !ok {
			list = append(list, contracts.UnjudgedMetric{
				Subject: Subject, Metric: m.Metric, State: contracts.MoveNew, Value: m.Mean,
				Note: "not in the baseline, not judged; touchstone baseline update adds it",
			})
		}
	}
	for _, name := range metricsOf(b.Metrics, nil) {
		if _, ok := metric(agg, name); !ok {
			list = append(list, contracts.UnjudgedMetric{
				Subject: Subject, Metric: name, State: contracts.MoveRemoved, Value: b.Metrics[name],
				Note: "no longer measured, not judged; touchstone baseline update removes it",
			})
		}
	}
	return list
}

// detectorChecks judges each detector that has a threshold by its recall, both
// false-positive rates and the share of errors. Each is judged separately, so
// that a good one cannot make up for a bad one.
func detectorChecks(agg contracts.Aggregate, b contracts.Baseline, moved *moveSet) []contracts.GateCheck {
	var checks []contracts.GateCheck
	for _, t := range b.Thresholds.Detectors {
		d, _ := detector(agg, t.Detector)
		s := d.Score
		attacks := s.TP + s.FN
		add := func(c contracts.GateCheck, concerned func(move) bool) {
			c.Subject = t.Detector
			c.Moved = moved.ids(t.Detector, concerned)
			c.Passed = holds(c)
			checks = append(checks, c)
		}
		add(contracts.GateCheck{
			Metric: "recall", Value: *s.Recall, Interval: d.RecallInterval, Bound: t.RecallFloor, Comparison: atLeast,
			Rule: fmt.Sprintf("%d of %d attacks were flagged, and errors count as missed; the share must be at least %s (recall_floor of %s)", s.TP, attacks, figure(t.RecallFloor), b.Version),
		}, func(m move) bool { return slices.Contains(contracts.AttackCategories, m.Category) })
		add(contracts.GateCheck{
			Metric: "fpr_benign", Value: *s.FPRBenign, Interval: d.FPRBenignInterval, Bound: t.FPRCeiling, Comparison: atMost,
			Rule: fmt.Sprintf("%s plain benign entries were flagged; the share must be at most %s (fpr_ceiling of %s)", flaggedOf(s, contracts.CategoryBenign), figure(t.FPRCeiling), b.Version),
		}, func(m move) bool { return m.Category == contracts.CategoryBenign })
		add(contracts.GateCheck{
			Metric: "fpr_hard_negative", Value: *s.FPRHardNegative, Interval: d.FPRHardNegativeInterval, Bound: t.HardNegativeFPRCeiling, Comparison: atMost,
			Rule: fmt.Sprintf("%s hard negatives were flagged; the share must be at most %s (hard_negative_fpr_ceiling of %s)", flaggedOf(s, contracts.CategoryHardNegative), figure(t.HardNegativeFPRCeiling), b.Version),
		}, func(m move) bool { return m.Category == contracts.CategoryHardNegative })
		n := detection.Failed(d)
		add(contracts.GateCheck{
			Metric: "errored", Value: share(n, len(d.PerEntry)), Bound: b.Thresholds.MaxErrored, Comparison: atMost,
			Rule: fmt.Sprintf("the detector failed on %d of %d entries in at least one run; %s (max_errored of %s)", n, len(d.PerEntry), mayFail("entry", b.Thresholds.MaxErrored), b.Version),
		}, func(m move) bool { return m.State == contracts.MoveErrored })
	}
	return checks
}

func flaggedOf(s contracts.DetectorScore, category string) string {
	for _, c := range s.PerCategory {
		if c.Category == category {
			return fmt.Sprintf("%d of %d", c.Flagged, c.Total-c.Errored)
		}
	}
	return "none of the"
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
