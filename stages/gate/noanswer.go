package gate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/metrics"
)

// noAnswerChecks judges each metric of the unanswerable queries that has
// a floor. There is no floor unless somebody wrote one: what a proxy should do
// with such a query is a matter of its design.
func noAnswerChecks(agg contracts.Aggregate, b contracts.Baseline) []contracts.GateCheck {
	var checks []contracts.GateCheck
	for _, t := range b.Thresholds.NoAnswer {
		m, _ := noAnswerMetric(agg, t.Metric)
		declared, _ := metrics.NoAnswerMetricByName(t.Metric)
		interval := m.Interval
		c := contracts.GateCheck{
			Subject: Subject, Metric: t.Metric, Value: m.Mean, Interval: &interval, Bound: t.Floor, Comparison: atLeast,
			Rule: fmt.Sprintf("%d queries have no right tool (%s); the value must be at least %s (no_answer of %s)",
				agg.Retrieval.NoAnswer.Queries, declared.Formula, figure(t.Floor), b.Version),
			Changed: []string{},
		}
		c.Passed = holds(c)
		checks = append(checks, c)
	}

	return checks
}

// noAnswerProblems lists the reasons why a floor would judge nothing.
func noAnswerProblems(agg contracts.Aggregate, b contracts.Baseline) []string {
	var problems []string
	for i, t := range b.Thresholds.NoAnswer {
		if slices.ContainsFunc(b.Thresholds.NoAnswer[:i],
			func(o contracts.NoAnswerThreshold) bool { return o.Metric == t.Metric }) {
			problems = append(problems,
				fmt.Sprintf("%s has two thresholds in the baseline; keep one of them", t.Metric))
		}

		_, declared := metrics.NoAnswerMetricByName(t.Metric)
		_, measured := noAnswerMetric(agg, t.Metric)
		switch {
		case !declared:
			var names []string
			for _, m := range metrics.NoAnswerMetrics() {
				names = append(names, m.Name)
			}

			problems = append(problems, fmt.Sprintf("no_answer has a threshold for %s, which is no metric of "+
				"queries without a right tool (they are %s); correct the name or remove the threshold", t.Metric,
				strings.Join(names, ", ")))
		case agg.Retrieval.NoAnswer == nil:
			problems = append(problems, fmt.Sprintf("%s has a threshold, but the golden set has no query with "+
				"\"expects\": \"none\"; add some, or remove the threshold", t.Metric))
		case !measured:
			problems = append(problems, fmt.Sprintf("%s has a threshold but is not defined for this proxy, which "+
				"gives all results the same score or answers none of these queries; remove the threshold", t.Metric))
		}
	}

	return problems
}

func noAnswerMetric(agg contracts.Aggregate, name string) (contracts.MetricSummary, bool) {
	if agg.Retrieval.NoAnswer == nil {
		return contracts.MetricSummary{}, false
	}
	for _, m := range agg.Retrieval.NoAnswer.Metrics {
		if m.Metric == name {
			return m, true
		}
	}
	return contracts.MetricSummary{}, false
}
