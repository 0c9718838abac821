// Package gate is the stage that judges the figures. It measures nothing: it
// compares the aggregate with the thresholds in the baseline, and lists the
// queries and entries that changed.
package gate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/stages/internal/overlap"
)

// Options names the files of one judgement. Baseline is empty if there is none
// yet. MinOverlap is the smallest share of
// common queries and entries, see DefaultMinOverlap. Log may be nil.
type Options struct {
	Aggregate  string
	Baseline   string
	MinOverlap float64
	Out        string
	Log        io.Writer
}

// Run judges and writes the verdict. A failed check is not an error. Without a
// baseline, or with one on data of which too little is the same, the verdict is
// that there is none. Having nothing to judge is an error.
func Run(_ context.Context, opts Options) error {
	agg, err := contracts.Read[contracts.Aggregate](opts.Aggregate)
	if err != nil {
		return err
	}

	if !(opts.MinOverlap >= 0 && opts.MinOverlap <= 1) {
		return fmt.Errorf("--min-overlap %v: give a share from 0 to 1", opts.MinOverlap)
	}

	verdict := withoutBaseline(agg)
	if opts.Baseline != "" {
		baseline, err := contracts.Read[contracts.Baseline](opts.Baseline)
		if err != nil {
			return err
		}

		if verdict, err = Judge(agg, baseline, opts.MinOverlap); err != nil {
			return fmt.Errorf("%s: %w", opts.Baseline, err)
		}
	}

	verdict.Split = agg.Validation.Split
	if err := contracts.Write(opts.Out, verdict); err != nil {
		return err
	}

	if opts.Log != nil {
		for _, line := range Describe(verdict) {
			fmt.Fprintln(opts.Log, line)
		}
	}

	return nil
}

// withoutBaseline is the verdict of a first run: the figures are measured, and
// there is nothing to compare them with.
func withoutBaseline(agg contracts.Aggregate) contracts.Gate {
	return contracts.Gate{
		NoVerdict: &contracts.NotJudged{Reason: "there is no baseline yet",
			Remedy: "look at the figures, and make them the baseline with touchstone baseline update and the options " +
				"of this run"},
		Unfrozen: unfrozen(agg.Validation), Checks: []contracts.GateCheck{}, Changes: []contracts.Change{},
		Counts: map[string]int{},
	}
}

// Judge compares the figures with the baseline's thresholds. It returns an
// error if any threshold would judge nothing, or if there are no thresholds. If
// the baseline was made on other data, it judges in the common part, and the
// verdict is that there is none if less than minOverlap is common.
func Judge(agg contracts.Aggregate, baseline contracts.Baseline, minOverlap float64) (contracts.Gate, error) {
	part := overlap.Of(agg, baseline)
	if none := tooLittle(agg, part, minOverlap); none != nil && comparedOnOtherData(agg, baseline, part) {
		return contracts.Gate{
			NoVerdict: none, Baseline: baseline.Version, Data: part.Data, Unfrozen: unfrozen(agg.Validation),
			Checks: []contracts.GateCheck{}, Changes: []contracts.Change{}, Counts: map[string]int{},
		}, nil
	}

	if err := judgeable(agg, baseline, part); err != nil {
		return contracts.Gate{}, err
	}

	moves := moves(agg, baseline, part)
	g := contracts.Gate{
		Passed: true, Baseline: baseline.Version, Data: part.Data, Unfrozen: unfrozen(agg.Validation),
		Unjudged: unjudged(agg, baseline), Changes: moves.list(), Counts: moves.counts(),
	}
	g.Checks = slices.Concat(retrievalChecks(agg, baseline, moves), noAnswerChecks(agg, baseline),
		costChecks(agg, baseline), detectorChecks(agg, baseline, part, moves), selectionChecks(agg, baseline, moves),
		limitChecks(agg))
	g.Warnings = append(noiseWarnings(agg, baseline), changeWarnings(agg, baseline, part)...)
	for _, c := range g.Checks {
		g.Passed = g.Passed && c.Passed
	}

	return g, nil
}

// update is the remedy for a baseline that cannot be compared with.
const update = "look at the changes and make a new one with touchstone baseline update"

// judgeable refuses everything that would make a check pass without judging
// anything, and thresholds that contradict each other. It reports all reasons
// at once.
func judgeable(agg contracts.Aggregate, b contracts.Baseline, part overlap.Part) error {
	if !agg.Baseline.Comparable {
		return fmt.Errorf("the baseline cannot be compared with: %s; %s", agg.Baseline.Reason, update)
	}

	if agg.Baseline.Version == b.Version && !comparedWith(agg, b, part) {
		return fmt.Errorf("%s is no longer the baseline that the figures were compared with; run aggregate again",
			b.Version)
	}

	if agg.Baseline.Version != b.Version {
		return fmt.Errorf("the figures were compared with the baseline %s, but the gate was given %s; run aggregate "+
			"again", agg.Baseline.Version, b.Version)
	}

	var problems []string
	if agg.Retrieval.Queries == 0 || len(agg.Retrieval.PerQuery) == 0 {
		problems = append(problems, "no query was measured; check the golden set")
	}

	if len(b.Thresholds.Retrieval) == 0 {
		problems = append(problems, "the baseline has no threshold for any retrieval metric; add one to its thresholds")
	}

	for i, t := range b.Thresholds.Retrieval {
		problems = append(problems, metricProblems(agg, b, t.Metric)...)
		if slices.ContainsFunc(b.Thresholds.Retrieval[:i],
			func(o contracts.MetricThreshold) bool { return o.Metric == t.Metric }) {
			problems = append(problems,
				fmt.Sprintf("%s has two thresholds in the baseline; keep one of them", t.Metric))
		}
	}

	if len(b.Thresholds.Detectors) == 0 && len(agg.Detectors) > len(b.Thresholds.NotJudged) {
		problems = append(problems,
			"the baseline has no threshold for any detector, and detectors were run; add one to "+
				"its thresholds, or name them in not_judged")
	}

	for i, t := range b.Thresholds.Detectors {
		problems = append(problems, detectorProblems(agg, b, t)...)
		if slices.ContainsFunc(b.Thresholds.Detectors[:i],
			func(o contracts.DetectorThreshold) bool { return o.Detector == t.Detector }) {
			problems = append(problems,
				fmt.Sprintf("detector %s has two thresholds in the baseline; keep one of them", t.Detector))
		}
	}

	problems = append(problems, noAnswerProblems(agg, b)...)
	problems = append(problems, costProblems(agg, b)...)
	problems = append(problems, selectionProblems(agg, b)...)
	if len(problems) > 0 {
		return errors.New("the gate cannot judge: " + strings.Join(problems, "; "))
	}

	return nil
}

// comparedWith reports whether the figures were compared with this baseline. A
// baseline of the same name may have been made anew since.
func comparedWith(agg contracts.Aggregate, b contracts.Baseline, part overlap.Part) bool {
	if part.Data != nil || agg.Baseline.Data != nil {
		return comparedInPart(agg, b, part)
	}
	for _, m := range agg.Retrieval.Metrics {
		was, ok := b.Metrics[m.Metric]
		if compared := m.Comparison != nil; compared != ok || compared && m.Comparison.Baseline != was {
			return false
		}
	}
	return true
}

func metricProblems(agg contracts.Aggregate, b contracts.Baseline, name string) []string {
	_, measured := metric(agg, name)
	_, known := b.Metrics[name]
	switch {
	case !known && measured:
		return []string{fmt.Sprintf("%s has a threshold, but the baseline has no figure to compare with; %s", name,
			update)}
	case !known:
		return []string{fmt.Sprintf("the threshold for %s names a metric that the baseline does not have (it has "+
			"%s); correct the name or remove the threshold", name, strings.Join(metricsOf(b.Metrics, nil), ", "))}
	case !measured && !slices.Contains(contracts.MetricNames, name):
		return []string{fmt.Sprintf("%s has a threshold but is no longer measured; remove its threshold from the "+
			"baseline", name)}
	case !measured:
		return []string{fmt.Sprintf("%s has a threshold but was not measured; run aggregate again", name)}
	}

	return nil
}

func metric(agg contracts.Aggregate, name string) (contracts.MetricSummary, bool) {
	for _, m := range agg.Retrieval.Metrics {
		if m.Metric == name {
			return m, true
		}
	}
	return contracts.MetricSummary{}, false
}

func detector(agg contracts.Aggregate, name string) (contracts.DetectorSummary, bool) {
	for _, d := range agg.Detectors {
		if d.Score.Detector == name {
			return d, true
		}
	}
	return contracts.DetectorSummary{}, false
}

func baselineDetector(b contracts.Baseline, name string) (contracts.BaselineDetector, bool) {
	for _, d := range b.PerDetector {
		if d.Score.Detector == name {
			return d, true
		}
	}
	return contracts.BaselineDetector{}, false
}
