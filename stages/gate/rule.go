package gate

import (
	"fmt"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/report/significance"
	"github.com/touchstone-eval/touchstone/metrics"
)

// verdicts returns the verdict on the change of each metric that has a
// threshold. Holm's correction is over these metrics only. It is computed here,
// because the thresholds may have been edited since the figures were compared
// with the baseline.
func verdicts(agg contracts.Aggregate, b contracts.Baseline) map[string]string {
	var names []string
	var p []float64
	for _, t := range b.Thresholds.Retrieval {
		m, _ := metric(agg, t.Metric)
		names, p = append(names, t.Metric), append(p, m.Comparison.PValue)
	}

	_, significant := significance.Families(names, p, names)
	verdicts := make(map[string]string)
	for i, name := range names {
		m, _ := metric(agg, name)
		switch gain := metrics.Gain(name, 0, m.Comparison.Delta); {
		case !significant[i]:
			verdicts[name] = contracts.WithinNoise
		case gain < 0:
			verdicts[name] = contracts.Regressed
		default:
			verdicts[name] = contracts.Improved
		}
	}

	return verdicts
}

// metricCheck judges the change of a metric. It fails if the metric is worse by
// more than the tolerance, or if it is significantly worse and by at least
// significance.SmallestDrop. The bound is that of the tolerance, or that of a
// significant change if the tolerance alone would let it pass.
func metricCheck(m contracts.MetricSummary, t contracts.MetricThreshold, verdict string, tests int,
	version string) contracts.GateCheck {
	c := contracts.GateCheck{Subject: Subject, Metric: t.Metric, Verdict: verdict}
	s := sides(t.Metric)
	was := m.Comparison.Baseline
	if t.NonInferiority {
		interval := m.Comparison.DeltaInterval
		c.Interval, c.Comparison, c.Bound = &interval, s.loose, s.worse*t.Tolerance
		c.Value = interval.Low
		if s.worse > 0 {
			c.Value = interval.High
		}

		c.Rule = fmt.Sprintf("the 95%% interval of the change from the baseline's %s, %+.4f to %+.4f, must stay %s "+
			"%+.4f (non-inferiority margin of %s)",
			figure(was), interval.Low, interval.High, s.beyond, c.Bound, version)
		return c
	}

	interval := m.Interval
	c.Value, c.Interval, c.Comparison, c.Bound = m.Mean, &interval, s.loose, was+s.worse*t.Tolerance
	rule := fmt.Sprintf("it may be at most %s %s the baseline's %s (tolerance of %s)", figure(t.Tolerance), s.direction,
		figure(was), version)
	if verdict == contracts.Regressed && holds(c) && significance.SmallestDrop <= t.Tolerance {
		c.Comparison, c.Bound = s.strict, was+s.worse*significance.SmallestDrop
		rule = fmt.Sprintf("it is significantly worse (p %s), so it must be less than %s %s the baseline's %s, "+
			"whatever the tolerance",
			probability(m.Comparison.PValue), figure(significance.SmallestDrop), s.direction, figure(was))
	}

	detectable := min(m.Comparison.MinDetectable, found(t.Tolerance, m.Comparison.MinDetectable, tests))
	c.MinDetectable = &detectable
	c.Rule = fmt.Sprintf("%s; it changed by %+.4f (the smallest change that is found with a chance of .8 is %.4f)",
		rule, m.Comparison.Delta, detectable)
	return c
}

// found is the true change that exceeds the tolerance with a chance of .8: .84
// standard errors more than the tolerance. The standard error is that of the
// smallest change that is significant, as one of so many tests, with that chance.
func found(tolerance, detectable float64, tests int) float64 {
	const z80 = 0.8416212335729143
	return tolerance + z80*detectable/metrics.MinDetectableOf(1, tests)
}

// probability formats a p-value.
func probability(p float64) string {
	if p < 0.001 {
		return "< .001"
	}
	return fmt.Sprintf("%.3f", p)
}

// side describes the direction in which a metric gets worse: the sign of the
// change, and the comparisons and words of a bound.
type side struct {
	worse                            float64
	loose, strict, direction, beyond string
}

func sides(metric string) side {
	if declared, _ := metrics.RankingByName(metric); declared.LowerIsBetter {
		return side{1, atMost, below, "above", "below"}
	}
	return side{-1, atLeast, above, "below", "above"}
}
