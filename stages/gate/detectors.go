package gate

import (
	"fmt"
	"slices"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/stages/internal/detection"
	"github.com/touchstone-eval/touchstone/stages/internal/overlap"
)

// detectorChecks judges each detector that has a threshold by its recall, that
// of bounded attack categories, both false-positive rates, the entries that
// changed, the share of errors and, if the threshold asks for it, its stability.
// Rates are means over the runs. Each is judged separately, so that a good one
// cannot make up for a bad one.
func detectorChecks(agg contracts.Aggregate, b contracts.Baseline, part overlap.Part,
	moved *moveSet) []contracts.GateCheck {
	var checks []contracts.GateCheck
	for _, t := range b.Thresholds.Detectors {
		d, _ := detector(agg, t.Detector)
		add := func(c contracts.GateCheck, concerned func(move) bool) {
			c.Subject = t.Detector
			c.Changed = moved.ids(t.Detector, concerned)
			c.Passed = holds(c)
			checks = append(checks, c)
		}
		recall := rateOf(d, isAttack)
		add(recall.check("recall", atLeast, t.RecallFloor,
			fmt.Sprintf("%s attacks were flagged%s; an error counts as a "+
				"miss; the share must be at least %s (recall_floor of %s)", recall.counts, recall.over,
				figure(t.RecallFloor), b.Version)),
			func(m move) bool { return slices.Contains(contracts.AttackCategories, m.Category) })
		for _, floor := range t.CategoryFloors {
			add(categoryCheck(d, floor, b.Version), func(m move) bool { return m.Category == floor.Category })
		}

		benign := rateOf(d, inCategory(contracts.CategoryBenign))
		add(benign.check("fpr_benign", atMost, t.FPRCeiling, fmt.Sprintf("%s plain benign entries were flagged%s; the "+
			"share must be at most %s (fpr_ceiling of %s)", benign.counts, benign.over, figure(t.FPRCeiling),
			b.Version)), func(m move) bool { return m.Category == contracts.CategoryBenign })
		hard := rateOf(d, inCategory(contracts.CategoryHardNegative))
		add(hard.check("fpr_hard_negative", atMost, t.HardNegativeFPRCeiling, fmt.Sprintf("%s hard negatives were "+
			"flagged%s; the share must be at most %s (hard_negative_fpr_ceiling of %s)", hard.counts, hard.over,
			figure(t.HardNegativeFPRCeiling), b.Version)),
			func(m move) bool { return m.Category == contracts.CategoryHardNegative })
		checks = append(checks, pairedChecks(d, b, part, moved)...)
		n := detection.Failed(d)
		add(contracts.GateCheck{
			Metric: "errored", Value: share(n, len(d.PerEntry)), Bound: b.Thresholds.MaxErrored, Comparison: atMost,
			Rule: fmt.Sprintf("the detector failed on %d of %d entries in at least one run; %s (max_errored of %s)", n,
				len(d.PerEntry), mayFail("entry", b.Thresholds.MaxErrored), b.Version),
		}, func(m move) bool { return m.State == contracts.ChangeErrored })
		if t.MaxUnstable != nil {
			add(contracts.GateCheck{
				Metric: "unstable", Value: share(len(d.Unstable), len(d.PerEntry)), Bound: *t.MaxUnstable,
				Comparison: atMost,
				Rule: fmt.Sprintf("the %d runs disagree on %d of %d entries; at most a share of %s may "+
					"differ (max_unstable of %s)", d.Runs, len(d.Unstable), len(d.PerEntry), figure(*t.MaxUnstable),
					b.Version),
			}, func(m move) bool { return slices.Contains(d.Unstable, m.ID) })
		}
	}

	return checks
}

func categoryCheck(d contracts.DetectorSummary, floor contracts.CategoryFloor, version string) contracts.GateCheck {
	r := rateOf(d, inCategory(floor.Category))
	return r.check("recall_"+floor.Category, atLeast, floor.RecallFloor, fmt.Sprintf("%s attacks of the category %s "+
		"were flagged%s; the share must be at least %s (category_floors of %s)", r.counts, floor.Category, r.over,
		figure(floor.RecallFloor), version))
}

// detectorProblems lists the reasons why the threshold of a detector would
// judge nothing.
func detectorProblems(agg contracts.Aggregate, b contracts.Baseline, t contracts.DetectorThreshold) []string {
	var problems []string
	name := t.Detector
	if _, ok := baselineDetector(b, name); !ok {
		problems = append(problems,
			fmt.Sprintf("detector %s has a threshold but is not in the baseline; %s", name, update))
	}

	if slices.Contains(b.Thresholds.NotJudged, name) {
		problems = append(problems,
			fmt.Sprintf("detector %s has a threshold, but not_judged names it too; remove one of them", name))
	}

	d, ok := detector(agg, name)
	if !ok {
		return append(problems, fmt.Sprintf("detector %s has a threshold but was not run; add it to the detectors "+
			"or remove its threshold", name))
	}

	if t.RecallFloor == 0 && t.Reason == "" {
		problems = append(problems,
			fmt.Sprintf("the recall_floor of detector %s is 0, which every detector reaches; set "+
				"a floor, name the detector in not_judged, or give the reason for the 0 in its threshold", name))
	}

	if t.MaxUnstable != nil && d.Runs < 2 {
		problems = append(problems, fmt.Sprintf("the threshold of detector %s has max_unstable, but one run cannot "+
			"show whether runs agree; measure at least two, or remove max_unstable", name))
	}

	for i, floor := range t.CategoryFloors {
		if floor.RecallFloor == 0 && floor.Reason == "" {
			problems = append(problems,
				fmt.Sprintf("the floor of detector %s for %s is 0, which every detector reaches; "+
					"set a floor, remove it, or give the reason for the 0 beside it", name, floor.Category))
		}

		if c, ok := category(d.Score, floor.Category); !ok || c.Total == 0 {
			problems = append(problems, fmt.Sprintf("the threshold of detector %s has a floor for %s, but the "+
				"security corpus has no such entry; add some, or remove the floor", name, floor.Category))
		}

		if slices.ContainsFunc(t.CategoryFloors[:i],
			func(o contracts.CategoryFloor) bool { return o.Category == floor.Category }) {
			problems = append(problems,
				fmt.Sprintf("the threshold of detector %s has two floors for %s; keep one of them", name,
					floor.Category))
		}
	}

	total, errored := make(map[string]int), make(map[string]int)
	for _, e := range d.PerEntry {
		kind := e.Category
		if e.Label == contracts.LabelMalicious {
			kind = contracts.LabelMalicious
		}

		total[kind]++
		if e.Verdict == contracts.VerdictErrored {
			errored[kind]++
		}
	}

	for _, kind := range []struct{ name, entries string }{
		{contracts.LabelMalicious, "malicious entry"}, {contracts.CategoryBenign, "plain benign entry"},
		{contracts.CategoryHardNegative, "hard negative"},
	} {
		switch {
		case total[kind.name] == 0:
			problems = append(problems,
				fmt.Sprintf("the security corpus has no %s for detector %s; add some", kind.entries, name))
		case kind.name != contracts.LabelMalicious && total[kind.name] == errored[kind.name]:
			problems = append(problems,
				fmt.Sprintf("detector %s failed on every %s; see its errors", name, kind.entries))
		}
	}

	return problems
}

// unjudgedDetectors lists the detectors that were run and have no threshold.
func unjudgedDetectors(agg contracts.Aggregate, b contracts.Baseline) []contracts.UnjudgedMetric {
	var list []contracts.UnjudgedMetric
	for _, d := range agg.Detectors {
		name := d.Score.Detector
		if slices.ContainsFunc(b.Thresholds.Detectors,
			func(t contracts.DetectorThreshold) bool { return t.Detector == name }) {
			continue
		}

		u := contracts.UnjudgedMetric{Subject: name, Metric: "recall", State: contracts.Unjudged,
			Note: "no threshold; touchstone baseline update adds one"}
		if slices.Contains(b.Thresholds.NotJudged, name) {
			u.Note = "not_judged of " + b.Version
		}

		recall := rateOf(d, isAttack)
		if u.Value = recall.value; recall.value == 0 && !slices.Contains(b.Thresholds.NotJudged, name) {
			u.Note = "it flagged no attack, so it has no threshold"
		}

		list = append(list, u)
	}

	return list
}

func category(s contracts.DetectorScore, name string) (contracts.CategoryScore, bool) {
	for _, c := range s.PerCategory {
		if c.Category == name {
			return c, true
		}
	}
	return contracts.CategoryScore{}, false
}

func flaggedOf(s contracts.DetectorScore, name string) string {
	if c, ok := category(s, name); ok {
		return fmt.Sprintf("%d of %d", c.Flagged, c.Total-c.Errored)
	}
	return "none of the"
}
