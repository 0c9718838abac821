package gate

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/report/significance"
	"github.com/touchstone-eval/touchstone/metrics"
)

// DefaultThresholds returns the thresholds of a first baseline. The metrics
// declared as gated have the tolerance of significance.Replaceable. No query and no entry may error. Each
// detector has the threshold of defaultDetector. The rates of a model whose
// answers were recorded may be worse by 0.02. These are a start: edit them in
// the baseline file.
func DefaultThresholds(agg contracts.Aggregate) contracts.Thresholds {
	t := contracts.Thresholds{Detectors: []contracts.DetectorThreshold{}, Selection: defaultSelection(agg)}
	for _, m := range metrics.Ranking() {
		if m.Gated {
			t.Retrieval = append(t.Retrieval, contracts.MetricThreshold{Metric: m.Name, Derived: new(float64)})
		}
	}
	return withDetectors(withTolerances(t, agg), agg)
}

// withTolerances computes anew the tolerances that no person set.
func withTolerances(t contracts.Thresholds, agg contracts.Aggregate) contracts.Thresholds {
	groups := significance.Groups(agg.Retrieval.PerQuery)
	t.Retrieval = slices.Clone(t.Retrieval)
	for i, old := range t.Retrieval {
		if _, measured := metric(agg, old.Metric); old.ByPerson() || !measured {
			continue
		}

		values := make([]float64, len(agg.Retrieval.PerQuery))
		for q, query := range agg.Retrieval.PerQuery {
			values[q] = query.Metrics[old.Metric]
		}

		t.Retrieval[i] = significance.Replaceable(old.Metric, values, groups)
		t.Retrieval[i].NonInferiority = old.NonInferiority
	}

	return t
}

// withDetectors adds the default threshold of each detector that has none and
// that NotJudged does not name.
func withDetectors(t contracts.Thresholds, agg contracts.Aggregate) contracts.Thresholds {
	t.Detectors = slices.Clone(t.Detectors)
	for _, d := range agg.Detectors {
		name := d.Score.Detector
		if slices.Contains(t.NotJudged, name) ||
			slices.ContainsFunc(t.Detectors, func(o contracts.DetectorThreshold) bool { return o.Detector == name }) {
			continue
		}

		if threshold, ok := defaultDetector(d); ok {
			t.Detectors = append(t.Detectors, threshold)
		}
	}

	return t
}

// detectorErrors is the slack of a derived floor or ceiling, in standard errors of
// the rate. As for significance.Replaceable, a detector that flags other entries, but
// as many, has a difference of about one standard error.
const detectorErrors = 3.5

// mostSlack is the largest slack of a recall or a false-positive rate over all
// entries of a kind, for a security corpus of few entries.
const mostSlack = 0.15

// defaultDetector is the threshold of a detector with these figures, which are
// means over its runs. Its recall, and that of each attack category where that
// leaves a floor above 0, may be worse by 3.5 standard errors, but its recall by at
// most .15 and not below a quarter of the value. The false-positive rate on either
// kind of benign entry may be worse by as much, and 2% in any case. Bounds are rounded outwards
// to a hundredth, and that of the recall to a thousandth. They are for what the
// comparison of the entries cannot see, such as a change in small steps. ok is
// false if the security corpus lacks attacks or one kind of benign entry, without
// which the gate cannot judge a detector, and if the detector catches nothing.
func defaultDetector(d contracts.DetectorSummary) (t contracts.DetectorThreshold, ok bool) {
	recall := rateOf(d, isAttack)
	benign := rateOf(d, inCategory(contracts.CategoryBenign))
	hard := rateOf(d, inCategory(contracts.CategoryHardNegative))
	if recall.value == 0 || benign.entries == 0 || hard.entries == 0 {
		return t, false
	}

	const fpr = 0.02
	t = contracts.DetectorThreshold{
		Detector:               d.Score.Detector,
		FPRCeiling:             min(1, max(fpr, hundredths(benign.value+min(mostSlack, benign.slack()), math.Ceil))),
		HardNegativeFPRCeiling: min(1, max(fpr, hundredths(hard.value+min(mostSlack, hard.slack()), math.Ceil))),
		RecallFloor: max(math.Ceil(recall.value*250)/1000,
			math.Floor((recall.value-min(mostSlack, recall.slack()))*1000)/1000),
		Reason: fmt.Sprintf("%g standard errors of each rate", detectorErrors),
	}
	for _, name := range contracts.AttackCategories {
		r := rateOf(d, inCategory(name))
		if r.entries == 0 {
			continue
		}

		if floor := hundredths(r.value-r.slack(), math.Floor); floor > 0 {
			t.CategoryFloors = append(t.CategoryFloors, contracts.CategoryFloor{Category: name, RecallFloor: floor})
		}
	}

	return t, true
}

// hundredths rounds to two decimals, up or down. A value that is a whole number
// of hundredths except for floating-point error stays that number.
func hundredths(v float64, round func(float64) float64) float64 {
	if nearest := math.Round(v * 100); math.Abs(v*100-nearest) < 1e-9 {
		return nearest / 100
	}
	return round(v*100) / 100
}

// thresholdChanges lists the tolerances that an update computed and the thresholds
// of detectors that it added, for BaselineChanges: what, before and after.
func thresholdChanges(was, next contracts.Thresholds) [][3]string {
	var changes [][3]string
	for _, t := range next.Retrieval {
		before := ""
		for _, old := range was.Retrieval {
			if old.Metric == t.Metric {
				before = figure(old.Tolerance)
			}
		}

		if after := figure(t.Tolerance); before != after {
			changes = append(changes, [3]string{"tolerance of " + t.Metric, before, after + " (" + t.Reason + ")"})
		}
	}

	for _, t := range next.Detectors {
		if slices.ContainsFunc(was.Detectors,
			func(o contracts.DetectorThreshold) bool { return o.Detector == t.Detector }) {
			continue
		}

		text := fmt.Sprintf("recall >= %s, FPR <= %s, on hard negatives <= %s", figure(t.RecallFloor),
			figure(t.FPRCeiling), figure(t.HardNegativeFPRCeiling))
		for _, floor := range t.CategoryFloors {
			text += fmt.Sprintf(", %s >= %s", strings.ReplaceAll(floor.Category, "_", " "), figure(floor.RecallFloor))
		}

		changes = append(changes, [3]string{"threshold of " + t.Detector, "", text})
	}

	return changes
}

// ThresholdRemarks lists what the user should know about the thresholds of a
// new baseline: a metric that has a tolerance in a first baseline but not in this
// one although the metric is new, a threshold for a metric that is not
// measured, and a detector that gets no threshold. old holds the figures of the previous baseline, or nil if they are
// not known.
func ThresholdRemarks(old *contracts.Baseline, next contracts.Baseline) []string {
	var remarks []string
	has := func(name string) bool {
		return slices.ContainsFunc(next.Thresholds.Retrieval,
			func(t contracts.MetricThreshold) bool { return t.Metric == name })
	}
	for _, m := range metrics.Ranking() {
		known := false
		if old != nil {
			_, known = old.Metrics[m.Name]
		}

		if m.Gated && !known && !has(m.Name) {
			remarks = append(remarks,
				fmt.Sprintf(`%s has no tolerance, so only a significant loss of it fails; to change that, add {"metric": %q, "tolerance": 0, "derived": 0} to thresholds.retrieval and update again`, m.Name, m.Name))
		}
	}

	for _, t := range next.Thresholds.Retrieval {
		if _, ok := next.Metrics[t.Metric]; !ok {
			remarks = append(remarks, fmt.Sprintf("the threshold for %s is kept, but %s is not measured; the gate "+
				"fails with an error until you remove the threshold", t.Metric, t.Metric))
		}
	}

	for _, d := range next.PerDetector {
		if r := detectorRemark(d, next.Thresholds); r != "" {
			remarks = append(remarks, r)
		}
	}

	for _, t := range next.Thresholds.Detectors {
		if _, ok := baselineDetector(next, t.Detector); !ok {
			remarks = append(remarks, fmt.Sprintf("the threshold for detector %s is kept, but the detector is not "+
				"run; the gate fails with an error until you remove the threshold", t.Detector))
		}
	}

	for _, t := range next.Thresholds.Selection {
		if !slices.ContainsFunc(modelsOf(next.Selection),
			func(m contracts.BaselineModel) bool { return m.Model == t.Model }) {
			remarks = append(remarks, fmt.Sprintf("the threshold for model %s is kept, but the model is not "+
				"measured; the gate fails with an error until you remove the threshold", t.Model))
		}
	}

	return remarks
}

// detectorRemark says that a detector catches nothing or has no threshold, unless
// it is named as not judged.
func detectorRemark(d contracts.BaselineDetector, t contracts.Thresholds) string {
	name := d.Score.Detector
	judged := slices.ContainsFunc(t.Detectors,
		func(t contracts.DetectorThreshold) bool { return t.Detector == name })
	switch catches := d.Score.TP > 0 || len(d.Shares) > 0; {
	case slices.Contains(t.NotJudged, name):
		return ""
	case !catches && judged:
		return fmt.Sprintf("warning: detector %s catches nothing, of %d attacks; the gate fails or judges "+
			"nothing until "+
			"it does", name, d.Score.TP+d.Score.FN)
	case !catches && d.Score.FN > 0:
		return fmt.Sprintf("warning: detector %s catches nothing, of %d attacks, so it has no threshold and the "+
			"gate does "+
			"not judge it; check how it is started, or name it in not_judged", name, d.Score.FN)
	case !judged:
		return fmt.Sprintf("detector %s has no threshold, because the security corpus lacks attacks, plain benign "+
			"entries or hard negatives; the gate does not judge it", name)
	}

	return ""
}
