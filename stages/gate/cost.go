package gate

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/report/wording"
	"github.com/touchstone-eval/touchstone/metrics"
)

// costChecks judges each figure of the cost of discovery that has a bound, in the
// order of reports. There is no bound unless somebody wrote one: what discovery may
// cost depends on the models and on the number of tools.
func costChecks(agg contracts.Aggregate, b contracts.Baseline) []contracts.GateCheck {
	var checks []contracts.GateCheck
	for _, declared := range metrics.CostFigures() {
		bound, judged := b.Thresholds.Cost[declared.Name]
		if !judged {
			continue
		}

		f, _ := agg.Retrieval.Cost.FigureByName(declared.Name)
		c := contracts.GateCheck{
			Subject: Subject, Metric: declared.Name, Value: f.Mean, Interval: f.Interval, Bound: bound,
			Comparison: atMost, Changed: []string{},
		}
		limit := "at most"
		if declared.HigherIsBetter {
			c.Comparison, limit = atLeast, "at least"
		}

		c.Rule = fmt.Sprintf("%s; the value must be %s %s (cost of %s)", declared.Formula, limit, figure(bound),
			b.Version)
		c.Passed = holds(c)
		checks = append(checks, c)
	}

	return checks
}

// costProblems lists the reasons why a bound would judge nothing.
func costProblems(agg contracts.Aggregate, b contracts.Baseline) []string {
	var problems []string
	for _, name := range slices.Sorted(maps.Keys(b.Thresholds.Cost)) {
		_, declared := metrics.CostFigureByName(name)
		_, measured := agg.Retrieval.Cost.FigureByName(name)
		switch {
		case !declared:
			var names []string
			for _, f := range metrics.CostFigures() {
				names = append(names, f.Name)
			}

			problems = append(problems, fmt.Sprintf("cost has a threshold for %s, which is no figure of the cost of "+
				"discovery (they are %s); correct the name or remove the threshold", name, strings.Join(names, ", ")))
		case !measured && name == metrics.CostOwnToolsTokens && agg.SearchPath != contracts.SearchMCP:
			problems = append(problems, fmt.Sprintf("%s has a threshold, but a proxy that is searched over %s offers "+
				"no tools of its own; remove the threshold, or search over MCP", name, agg.SearchPath))
		case !measured:
			problems = append(problems, fmt.Sprintf("%s has a threshold but was not measured, because no query was "+
				"answered in every run with at most 4 MiB or the proxy did not list its tools; see the log of "+
				"score-retrieval", name))
		}
	}

	return problems
}

// newBaselineCost keeps the means and the curve.
func newBaselineCost(c *contracts.CostSummary) *contracts.BaselineCost {
	if c == nil {
		return nil
	}

	b := &contracts.BaselineCost{Tokenizer: c.Tokenizer, Figures: make(map[string]float64), Curve: c.Curve}
	for _, f := range c.Figures {
		b.Figures[f.Figure] = f.Mean
	}

	return b
}

// costChanges lists the figures for BaselineChanges: what, before and after.
func costChanges(was, next *contracts.BaselineCost) [][3]string {
	text := func(b *contracts.BaselineCost, name string) string {
		if b == nil {
			return ""
		}

		v, ok := b.Figures[name]
		if !ok {
			return ""
		}

		return wording.MetricFigure(name, v)
	}
	var changes [][3]string
	for _, f := range metrics.CostFigures() {
		changes = append(changes, [3]string{f.Name, text(was, f.Name), text(next, f.Name)})
	}

	return changes
}
