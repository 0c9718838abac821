package gate

import (
	"fmt"
	"slices"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/report/significance"
	"github.com/touchstone-eval/touchstone/metrics"
)

// metricCheck judges the change of a metric. It fails if the metric is
// significantly worse and by more than significance.SmallestDrop or, with a
// threshold, if it is worse by more than the tolerance. t is nil if there is no
// threshold. The bound is that of the tolerance, or that of a significant change
// if there is no tolerance or if it alone would let the change pass.
func metricCheck(m contracts.MetricSummary, t *contracts.MetricThreshold, version string) contracts.GateCheck {
	if t != nil && t.NonInferiority {
		return inferiorityCheck(m, *t, version)
	}

	change, s, interval := m.Comparison, sides(m.Metric), m.Interval
	was, smallest := change.Baseline, significance.SmallestDrop(change.Baseline)
	c := contracts.GateCheck{Subject: Subject, Metric: m.Metric, Verdict: change.Verdict, Value: m.Mean,
		Interval: &interval, Comparison: s.loose}
	var rule string
	if t != nil {
		c.Bound = was + s.worse*t.Tolerance
		rule = fmt.Sprintf("allowed %s: %s from the baseline's %s (tolerance of %s)", s.change,
			figure(t.Tolerance), figure(was), version)
	}

	if t == nil || change.Verdict == contracts.Regressed && smallest < t.Tolerance && holds(c) {
		c.Bound, c.PValue = was+s.worse*smallest, &change.PValue
		rule = fmt.Sprintf("no significant %s (p %s); allowed %s: %s from the baseline's %s", s.change,
			probability(change.PValue), s.change, figure(smallest), figure(was))
		if change.Verdict == contracts.Regressed {
			rule = fmt.Sprintf("significant %s (p %s over all metrics); allowed %s: %s from the baseline's %s",
				s.change, probability(change.PValue), s.change, figure(smallest), figure(was))
		}
	}

	c.Rule = fmt.Sprintf("%s; it changed by %+.4f", rule, change.Delta)
	if c.MinDetectable = detectable(change, t); c.MinDetectable != nil {
		c.Rule += fmt.Sprintf(" (minimum detectable change, 80%% power: %.4f)", *c.MinDetectable)
	}

	return c
}

// inferiorityCheck judges the worse bound of the interval of the change.
func inferiorityCheck(m contracts.MetricSummary, t contracts.MetricThreshold, version string) contracts.GateCheck {
	interval, s := m.Comparison.DeltaInterval, sides(m.Metric)
	c := contracts.GateCheck{Subject: Subject, Metric: m.Metric, Verdict: m.Comparison.Verdict, Interval: &interval,
		Comparison: s.loose, Bound: s.worse * t.Tolerance, Value: interval.Low}
	if s.worse > 0 {
		c.Value = interval.High
	}

	c.Rule = fmt.Sprintf("change from the baseline's %s: 95%% interval %+.4f to %+.4f; the whole interval must be %s "+
		"%+.4f (non-inferiority margin of %s)",
		figure(m.Comparison.Baseline), interval.Low, interval.High, s.beyond, c.Bound, version)
	return c
}

// threshold returns the threshold of a metric, or nil.
func threshold(b contracts.Baseline, metric string) *contracts.MetricThreshold {
	i := slices.IndexFunc(b.Thresholds.Retrieval,
		func(t contracts.MetricThreshold) bool { return t.Metric == metric })
	if i < 0 {
		return nil
	}
	return &b.Thresholds.Retrieval[i]
}

// detectable is the smallest true loss that fails the check with power .80:
// that of the test or, if it is less, .84 standard errors more than the tolerance.
// It is nil if nothing changed, or too little for the test.
func detectable(c *contracts.MetricComparison, t *contracts.MetricThreshold) *float64 {
	if c.MinDetectable == nil {
		return nil
	}

	smallest := max(*c.MinDetectable, significance.SmallestDrop(c.Baseline))
	if t != nil {
		interval := metrics.Interval{Low: c.DeltaInterval.Low, High: c.DeltaInterval.High}
		smallest = min(smallest, metrics.Detectable(significance.StandardError(interval), 0)+t.Tolerance)
	}

	return &smallest
}

// probability formats a p-value.
func probability(p float64) string {
	if p < 0.001 {
		return "< .001"
	}
	return fmt.Sprintf("%.3f", p)
}

// side describes the direction in which a metric gets worse: the sign of the
// change, and the comparison and words of a bound.
type side struct {
	worse                 float64
	loose, change, beyond string
}

func sides(metric string) side {
	if declared, _ := metrics.RankingByName(metric); declared.LowerIsBetter {
		return side{1, atMost, "rise", "below"}
	}
	return side{-1, atLeast, "drop", "above"}
}
