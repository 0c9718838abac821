package summary

import (
	"strings"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/report/wording"
	"github.com/touchstone-eval/touchstone/metrics"
)

// Cost is one figure of what discovery costs as all reports show it. Range is its 95%
// interval, and empty for a figure that is the same for all queries. Baseline and
// Change are empty without a baseline, and Baseline is "new" if only the baseline lacks
// the figure. Change has its sign.
type Cost struct {
	Name, Label, Value, Range, Baseline, Change string
}

// CostHead names the columns of a table of costs.
var CostHead = []string{"cost of discovery", "value", "95% interval", "baseline", "change"}

// Cells are the cells of a row, in the order of CostHead.
func (c Cost) Cells() []string { return []string{c.Label, c.Value, c.Range, c.Baseline, c.Change} }

// Costs lists the figures that are shown at a place. It is empty if they were not
// measured.
func Costs(a *contracts.Aggregate, at metrics.Place) []Cost {
	var rows []Cost
	for _, declared := range metrics.CostFigures() {
		f, measured := a.Retrieval.Cost.FigureByName(declared.Name)
		if !measured || declared.Shown&at == 0 {
			continue
		}

		row := Cost{Name: f.Figure, Label: declared.Label, Value: wording.MetricFigure(f.Figure, f.Mean)}
		if f.Interval != nil {
			row.Range = wording.MetricRange(f.Figure, *f.Interval)
		}

		switch {
		case f.Baseline != nil:
			row.Baseline = wording.MetricFigure(f.Figure, *f.Baseline)
			row.Change = costChange(f.Figure, f.Mean-*f.Baseline)
		case a.Baseline.Comparable && a.Baseline.Data == nil:
			row.Baseline = "new"
		}

		rows = append(rows, row)
	}

	return rows
}

// costChange formats a difference with its sign.
func costChange(name string, delta float64) string {
	text := wording.MetricFigure(name, delta)
	if zero := wording.MetricFigure(name, 0); strings.TrimPrefix(text, "−") == zero {
		return zero
	}
	if delta > 0 {
		return "+" + text
	}
	return text
}
