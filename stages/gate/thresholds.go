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

		if threshold, ok := defaultDetector(d.Score); ok {
			t.Detectors = append(t.Detectors, threshold)
		}
	}

	return t
}

// defaultDetector is the threshold of a detector with these figures. The recall
// may be worse by 0.02, but not below half of its value. The false-positive rate on either kind of benign entry
// may be 2%, or the measured rate if that is higher. Of each attack category in
// which two entries or more are flagged, one may be missed. Bounds are rounded
// to a hundredth, and half of a recall to a thousandth, so that the measured figures pass. ok is false if the security
// corpus lacks attacks or one kind of benign entry, without which the gate
// cannot judge a detector.
func defaultDetector(s contracts.DetectorScore) (t contracts.DetectorThreshold, ok bool) {
	const missed, fpr = 0.02, 0.02
	if s.Recall == nil || s.FPRBenign == nil || s.FPRHardNegative == nil {
		return t, false
	}

	t = contracts.DetectorThreshold{
		Detector:               s.Detector,
		FPRCeiling:             max(fpr, hundredths(*s.FPRBenign, math.Ceil)),
		HardNegativeFPRCeiling: max(fpr, hundredths(*s.FPRHardNegative, math.Ceil)),
		RecallFloor:            max(math.Floor(*s.Recall*500)/1000, hundredths(*s.Recall-missed, math.Floor)),
	}
	for _, name := range contracts.AttackCategories {
		if c, ok := category(s, name); ok && c.Flagged >= 2 {
			t.CategoryFloors = append(t.CategoryFloors, contracts.CategoryFloor{
				Category: name, RecallFloor: hundredths(share(c.Flagged-1, c.Total), math.Floor),
			})
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
		name := d.Score.Detector
		if !slices.Contains(next.Thresholds.NotJudged, name) &&
			!slices.ContainsFunc(next.Thresholds.Detectors,
				func(t contracts.DetectorThreshold) bool { return t.Detector == name }) {
			remarks = append(remarks, fmt.Sprintf("detector %s has no threshold, because the security corpus lacks "+
				"attacks, plain benign entries or hard negatives; the gate does not judge it", name))
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
