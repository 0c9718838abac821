package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/engine"
	"github.com/touchstone-eval/touchstone/internal/report/summary"
	"github.com/touchstone-eval/touchstone/internal/report/wording"
	"github.com/touchstone-eval/touchstone/metrics"
)

// printFigures prints the figures of a run as a table, if its pipeline has the stage that
// aggregates them: the ranking metrics beside the baseline, and the rates of the detectors that
// are judged, or of all if there is no baseline.
func (s *session) printFigures(w io.Writer, outcomes []*engine.Outcome, v *verdict) {
	if v.gate == nil {
		return
	}

	agg, err := s.tableFigures(outcomes)
	if err != nil {
		return // another pipeline's gate
	}

	fmt.Fprintln(w)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	if !agg.Baseline.Comparable {
		fmt.Fprintln(t, "metric\tnow\t95% interval")
	} else {
		fmt.Fprintln(t, "metric\tbaseline\tnow\tchange\t95% interval\tp")
	}

	for _, m := range summary.Metrics(&agg, metrics.InTables) {
		cells := []string{m.Label, m.Baseline, m.Value, m.Change, m.ChangeRange, m.P}
		if !agg.Baseline.Comparable {
			cells = []string{m.Label, m.Value, m.Range}
		}

		fmt.Fprintln(t, strings.TrimRight(strings.Join(cells, "\t"), "\t"))
	}

	_ = t.Flush()
	printCosts(w, &agg)
	printDetectors(w, agg.Detectors, v.gate)
	fmt.Fprintln(w)
}

// tableFigures reads the figures that the table shows.
func (s *session) tableFigures(outcomes []*engine.Outcome) (contracts.Aggregate, error) {
	_, text, err := s.aggregateText(outcomes)
	if err != nil {
		return contracts.Aggregate{}, err
	}

	var a contracts.Aggregate
	if a.Detectors, err = detectorFigures(text); err != nil {
		return a, err
	}

	err = jsonFields(text, map[string]any{
		"baseline":          &a.Baseline,
		"retrieval.queries": &a.Retrieval.Queries,
		"retrieval.metrics": &a.Retrieval.Metrics,
		"retrieval.cost":    &a.Retrieval.Cost,
	})
	if err == nil && a.Retrieval.Metrics == nil {
		err = errors.New("there are no figures of retrieval")
	}

	return a, err
}

// printCosts prints what discovery costs, if it was measured.
func printCosts(w io.Writer, agg *contracts.Aggregate) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for i, c := range summary.Costs(agg, metrics.InTables) {
		head := "\n" + summary.CostHead[0] + "\tnow\t95% interval"
		cells := []string{c.Label, c.Value, c.Range}
		if agg.Baseline.Comparable {
			head = "\n" + summary.CostHead[0] + "\tbaseline\tnow\t95% interval\tchange"
			cells = []string{c.Label, c.Baseline, c.Value, c.Range, c.Change}
		}

		if i == 0 {
			fmt.Fprintln(t, head)
		}

		fmt.Fprintln(t, strings.TrimRight(strings.Join(cells, "\t"), "\t"))
	}

	_ = t.Flush()
}

// printDetectors prints the rates of the detectors that are judged.
func printDetectors(w io.Writer, detectors []contracts.DetectorSummary, g *contracts.Gate) {
	judged := make(map[string]bool)
	for _, c := range g.Checks {
		judged[c.Subject] = true
	}

	rates := slices.DeleteFunc(metrics.DetectionRates(),
		func(r metrics.DetectionRate) bool { return r.Shown&metrics.InTables == 0 })
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	head := "\ndetector"
	for _, r := range rates {
		head += "\t" + r.Label
	}

	for _, d := range detectors {
		if len(g.Checks) > 0 && !judged[d.Score.Detector] {
			continue
		}

		row := wording.Plain(d.Score.Detector)
		for _, r := range rates {
			row += "\t" + wording.Rate(d.Score.Rate(r.Name), nil)
		}

		if head != "" {
			fmt.Fprintln(t, head)
			head = ""
		}

		fmt.Fprintln(t, row)
	}

	_ = t.Flush()
}
