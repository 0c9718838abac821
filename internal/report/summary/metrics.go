package summary

import (
	"fmt"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/report/wording"
	"github.com/touchstone-eval/touchstone/metrics"
)

// Metric is one ranking metric as all reports show it. Range is its 95%
// interval. The other fields compare it with the baseline: they are empty
// without one, and Baseline is "new" if only the baseline lacks the metric. Change
// is the difference with its sign: ▲ or ▼ if it exceeds noise, otherwise ~.
// ChangeRange is the 95% interval of the difference, and P its p value. Both are
// empty if nothing changed.
type Metric struct {
	Name, Label, Value, Range, Baseline, Change, ChangeRange, P, Detectable string
}

// MetricHead names the columns of a table of metrics.
var MetricHead = []string{"metric", "value", "95% interval", "baseline", "change", "95% interval", "p",
	"minimum detectable"}

// MetricNote explains the columns.
const MetricNote = "~: within noise. Minimum detectable: the smallest true change that the test finds with 80% power."

// Cells are the cells of a row, in the order of MetricHead.
func (m Metric) Cells() []string {
	return []string{m.Label, m.Value, m.Range, m.Baseline, m.Change, m.ChangeRange, m.P, m.Detectable}
}

// Metrics lists the ranking metrics that are shown at a place.
func Metrics(a *contracts.Aggregate, at metrics.Place) []Metric {
	var rows []Metric
	for _, m := range a.Retrieval.Metrics {
		if Shown(m.Metric, at) {
			rows = append(rows, MetricOf(m, a))
		}
	}
	return rows
}

// MetricOf is the row of one metric of an aggregate.
func MetricOf(m contracts.MetricSummary, a *contracts.Aggregate) Metric {
	row := Metric{Name: m.Metric, Label: wording.MetricName(m.Metric), Value: wording.Figure(m.Mean),
		Range: wording.Range(m.Interval)}
	c := m.Comparison
	if c == nil {
		if a.Baseline.Comparable {
			row.Baseline = "new"
		}

		return row
	}

	row.Baseline = wording.Figure(c.Baseline) + Over(c, a.Retrieval.Queries)
	row.Change = Change(c)
	if c.Delta != 0 || c.DeltaInterval != (contracts.Interval{}) {
		row.ChangeRange, row.P = wording.Range(c.DeltaInterval), wording.Probability(c.PValue)
	}

	if c.MinDetectable != nil {
		row.Detectable = wording.Figure(*c.MinDetectable)
	}

	return row
}

// Change formats a comparison: "~" if it is within noise, otherwise an arrow.
func Change(c *contracts.MetricComparison) string {
	if c == nil {
		return ""
	}
	return wording.VerdictSign(c.Verdict) + " " + wording.Signed(c.Delta)
}

// Shown reports whether a ranking metric is shown at a place. A metric that
// this version does not declare is shown everywhere.
func Shown(metric string, at metrics.Place) bool {
	m, ok := metrics.RankingByName(metric)
	return !ok || m.Shown&at != 0
}

// Over names the queries of a comparison, if these are not all: " over 279 of
// 280 queries".
func Over(c *contracts.MetricComparison, all int) string {
	if c == nil || c.Queries == 0 {
		return ""
	}
	return fmt.Sprintf(" over %d of %d queries", c.Queries, all)
}
