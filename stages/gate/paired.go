package gate

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/report/significance"
	"github.com/touchstone-eval/touchstone/metrics"
	"github.com/touchstone-eval/touchstone/stages/internal/detection"
	"github.com/touchstone-eval/touchstone/stages/internal/overlap"
)

// entryChange compares the verdicts of a detector on one kind of entries with
// those in the baseline, entry by entry. Worse and Better name the entries whose
// share of flagged runs changed.
type entryChange struct {
	worse, better []string
	// net is by how many entries the detector is worse: more attacks missed, or more
	// benign entries flagged.
	net     float64
	entries int
	p       float64
}

// changeOf compares attacks or benign entries over the common part of the data.
// p is that of the two-sided exact McNemar test, or of the randomization test of
// metrics.RandomizationTest if runs disagree on an entry. It is multiplied by 2, for
// the two kinds of entries.
func changeOf(d contracts.DetectorSummary, before contracts.BaselineDetector, attacks bool,
	part overlap.Part) entryChange {
	c := entryChange{p: 1}
	var differences []float64
	whole := true
	for _, e := range d.PerEntry {
		if (e.Label == contracts.LabelMalicious) != attacks || !part.Entry(e.ID) {
			continue
		}

		was, known := detection.ShareBefore(before, e.ID, e.Label)
		now, counts := detection.Share(d, e)
		if !known || !counts {
			continue
		}

		c.entries++
		loss := now - was
		if attacks {
			loss = -loss
		}

		switch {
		case loss > 0:
			c.worse = append(c.worse, e.ID)
		case loss < 0:
			c.better = append(c.better, e.ID)
		default:
			continue
		}

		c.net += loss
		differences = append(differences, loss)
		whole = whole && (math.Abs(loss) == 1)
	}

	switch {
	case whole:
		c.p = metrics.McNemar(len(c.worse), len(c.better))
	case len(differences) > 0:
		c.p = metrics.RandomizationTest(differences, nil)
	}

	c.p = min(1, 2*c.p)
	return c
}

// pairedChecks judges what changed in the verdicts of a detector: the recall, and
// the false alarms over all benign entries. They fail only for a significant
// change.
func pairedChecks(d contracts.DetectorSummary, b contracts.Baseline, part overlap.Part,
	moved *moveSet) []contracts.GateCheck {
	before, _ := baselineDetector(b, d.Score.Detector)
	var checks []contracts.GateCheck
	for _, kind := range entryKinds {
		c := changeOf(d, before, kind.attacks, part)
		if c.entries == 0 {
			continue
		}

		check := contracts.GateCheck{Subject: d.Score.Detector, Metric: kind.metric, PValue: &c.p, Bound: 0,
			Value: c.net / float64(c.entries), Comparison: atMost, Verdict: contracts.WithinNoise}
		if c.p <= significance.Level {
			check.Verdict = contracts.Improved
			if c.net > 0 {
				check.Verdict = contracts.Regressed
			}
		}

		check.Rule = fmt.Sprintf("since %s, %d of %d %s got worse and %d got better (p %s); the check fails if they "+
			"got worse with p <= %g", b.Version, len(c.worse), c.entries, kind.entries, len(c.better),
			probability(c.p), significance.Level)
		check.Changed = moved.ids(d.Score.Detector, func(m move) bool {
			return slices.Contains(c.worse, m.ID) || slices.Contains(c.better, m.ID)
		})
		check.Passed = holds(check)
		checks = append(checks, check)
	}

	return checks
}

// entryKinds are the two kinds of entries that are compared.
var entryKinds = []struct {
	attacks         bool
	metric, entries string
	worse           string
}{
	{true, "more_missed", "attacks", "more missed"},
	{false, "more_false_alarms", "benign entries", "more false alarms"},
}

// changeWarnings names the entries by which a judged detector got worse, where the
// change is not significant and so fails nothing.
func changeWarnings(agg contracts.Aggregate, b contracts.Baseline, part overlap.Part) []string {
	var warnings []string
	for _, t := range b.Thresholds.Detectors {
		d, _ := detector(agg, t.Detector)
		before, _ := baselineDetector(b, t.Detector)
		for _, kind := range entryKinds {
			c := changeOf(d, before, kind.attacks, part)
			if c.net <= epsilon || c.p <= significance.Level {
				continue
			}

			shown := c.worse[:min(len(c.worse), shownIDs)]
			text := fmt.Sprintf("detector %s: %s %s than in %s, of %d %s (p %s): %s", t.Detector, countText(c.net),
				kind.worse, b.Version, c.entries, kind.entries, probability(c.p), strings.Join(shown, ", "))
			if more := len(c.worse) - len(shown); more > 0 {
				text += fmt.Sprintf(" and %d more", more)
			}

			warnings = append(warnings, text)
		}
	}

	return warnings
}
