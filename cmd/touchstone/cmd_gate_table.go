package main

import (
	"encoding/json"
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

// tableFigures reads the figures that the table shows. It leaves out the parts that have an
// entry for each query or tool, and does not check the rest against the schema, because both
// take longer than everything else that a gate with nothing to do does.
func (s *session) tableFigures(outcomes []*engine.Outcome) (contracts.Aggregate, error) {
	_, text, err := s.aggregateText(outcomes)
	if err != nil {
		return contracts.Aggregate{}, err
	}

	var figures struct {
		contracts.Aggregate
		Retrieval struct {
			contracts.RetrievalAggregate
			PerQuery leftOut `json:"per_query"`
			NoAnswer leftOut `json:"no_answer"`
		} `json:"retrieval"`
		Mutations  leftOut `json:"mutations"`
		Selection  leftOut `json:"selection"`
		Similarity leftOut `json:"similarity"`
	}
	if err := json.Unmarshal(text, &figures); err != nil {
		return contracts.Aggregate{}, err
	}

	if len(figures.Retrieval.Metrics) == 0 {
		return contracts.Aggregate{}, errors.New("there are no figures of retrieval")
	}

	figures.Aggregate.Retrieval = figures.Retrieval.RetrievalAggregate
	return figures.Aggregate, nil
}

// leftOut is a part of a JSON document that is not decoded.
type leftOut struct{}

// UnmarshalJSON accepts everything.
func (*leftOut) UnmarshalJSON([]byte) error { return nil }

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
