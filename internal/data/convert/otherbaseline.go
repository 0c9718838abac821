package convert

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/metrics"
)

// OtherBaseline is the baseline of mcp-eval, the evaluation of mcpproxy-go: means and
// the limits that people set. It has no figures of single queries or entries.
type OtherBaseline struct {
	CorpusVersion, GoldenVersion string
	Runs                         int
	// Metrics and Tolerances are by the names of metrics.Ranking.
	Metrics, Tolerances map[string]float64
	Detectors           []OtherDetector
	// Bounds are those of each detector, or nil.
	Bounds *OtherBounds
	// Unread names what the file has and this type has not.
	Unread []string
}

// OtherDetector has the rates of a detector. FPR is over all innocent entries.
type OtherDetector struct {
	Name   string  `json:"detector"`
	Recall float64 `json:"recall"`
	FPR    float64 `json:"fpr"`
}

// OtherBounds are the largest false-positive rate over all innocent entries, and the
// smallest recall.
type OtherBounds struct {
	FPRCeiling  float64 `json:"fpr_ceiling"`
	RecallFloor float64 `json:"recall_floor"`
}

// ReadOtherBaseline reads a baseline of mcp-eval.
func ReadOtherBaseline(data []byte) (OtherBaseline, error) {
	var file struct {
		Corpus    string             `json:"corpus_version"`
		Golden    string             `json:"golden_version"`
		Runs      int                `json:"runs_averaged"`
		RecallAt  map[string]float64 `json:"recall_at"`
		MRR       *float64           `json:"mrr"`
		NDCG      *float64           `json:"ndcg_at_10"`
		MAP       *float64           `json:"map"`
		Tolerance map[string]float64 `json:"tolerance"`
		Security  struct {
			Detectors []OtherDetector `json:"per_detector"`
			Gate      *OtherBounds    `json:"gate"`
		} `json:"security"`
	}
	if err := json.Unmarshal(data, &file); err != nil {
		return OtherBaseline{}, fmt.Errorf("it is no baseline of mcp-eval: %w", err)
	}

	if len(file.RecallAt) == 0 {
		return OtherBaseline{}, errors.New(`it is no baseline of mcp-eval: it has no figures "recall_at"`)
	}

	b := OtherBaseline{
		CorpusVersion: file.Corpus, GoldenVersion: file.Golden, Runs: file.Runs, Metrics: map[string]float64{},
		Tolerances: map[string]float64{}, Detectors: file.Security.Detectors, Bounds: file.Security.Gate,
	}
	figures := map[string]*float64{"mrr": file.MRR, "ndcg_at_10": file.NDCG, "map": file.MAP}
	for k, v := range file.RecallAt {
		figures["recall_at_"+k] = &v
	}

	known := func(name string) bool {
		_, ok := metrics.RankingByName(name)
		return ok
	}
	for _, name := range slices.Sorted(maps.Keys(figures)) {
		switch v := figures[name]; {
		case v == nil:
		case known(name):
			b.Metrics[name] = *v
		default:
			b.Unread = append(b.Unread, "figure "+name)
		}
	}

	for _, name := range slices.Sorted(maps.Keys(file.Tolerance)) {
		v := file.Tolerance[name]
		if v < 0 || v > 1 {
			return b, fmt.Errorf("its tolerance of %s is %v: correct it to a value from 0 to 1", name, v)
		}

		if known(name) {
			b.Tolerances[name] = v
		} else {
			b.Unread = append(b.Unread, "tolerance of "+name)
		}
	}

	if g := b.Bounds; g != nil && (min(g.FPRCeiling, g.RecallFloor) < 0 || max(g.FPRCeiling, g.RecallFloor) > 1) {
		return b, fmt.Errorf("its bounds of detectors are %v and %v: correct them to values from 0 to 1",
			g.FPRCeiling, g.RecallFloor)
	}

	return b, unreadFields(data, &b)
}

// unreadFields adds the fields of the file that have no place in an OtherBaseline.
func unreadFields(data []byte, b *OtherBaseline) error {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(data, &fields); err != nil {
		return err
	}

	read := []string{"__doc__", "corpus_version", "golden_version", "generated_from", "runs_averaged", "recall_at",
		"mrr", "ndcg_at_10", "map", "tolerance", "security"}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if !slices.Contains(read, name) {
			b.Unread = append(b.Unread, fmt.Sprintf("field %q", name))
		}
	}

	return nil
}

// Limit makes the tolerances and bounds of b those of a baseline, as if a person had set
// them there. names maps a detector of b to the one of the baseline, if the names differ.
// source is the name of the file. Each note says what was not taken over.
func (b OtherBaseline) Limit(next *contracts.Baseline, names map[string]string, source string) (notes []string) {
	for _, metric := range slices.Sorted(maps.Keys(b.Tolerances)) {
		t := contracts.MetricThreshold{
			Metric: metric, Tolerance: b.Tolerances[metric], Reason: "the tolerance in " + source,
		}
		i := slices.IndexFunc(next.Thresholds.Retrieval,
			func(old contracts.MetricThreshold) bool { return old.Metric == metric })
		if i < 0 {
			next.Thresholds.Retrieval = append(next.Thresholds.Retrieval, t)
			continue
		}

		next.Thresholds.Retrieval[i] = t
	}

	if b.Bounds == nil {
		return notes
	}

	for _, d := range b.Detectors {
		name, ok := d.here(*next, names)
		if !ok {
			notes = append(notes, fmt.Sprintf("the bounds of its detector %s are not taken over: no detector %q was "+
				"measured; name the one that it is here with --detector-as %s=NAME (%s)", d.Name, name, d.Name,
				strings.Join(measuredDetectors(*next), ", ")))
			continue
		}

		b.Bounds.limit(&next.Thresholds, name, source)
	}

	return notes
}

// limit sets the bounds of one detector. Its other bounds stay, also that on hard
// negatives: a ceiling over all innocent entries is no ceiling over the few difficult ones.
func (g OtherBounds) limit(t *contracts.Thresholds, name, source string) {
	i := slices.IndexFunc(t.Detectors, func(old contracts.DetectorThreshold) bool { return old.Detector == name })
	if i < 0 {
		t.Detectors = append(t.Detectors, contracts.DetectorThreshold{
			Detector: name, HardNegativeFPRCeiling: g.FPRCeiling,
		})
		i = len(t.Detectors) - 1
	}

	d := &t.Detectors[i]
	d.FPRCeiling, d.RecallFloor = g.FPRCeiling, g.RecallFloor
	d.Reason = "the recall and the FPR in " + source + ", where the FPR is over all innocent entries"
	t.NotJudged = slices.DeleteFunc(t.NotJudged, func(n string) bool { return n == name })
}

// here returns the name of the detector in a baseline of Touchstone, and whether it was
// measured.
func (d OtherDetector) here(b contracts.Baseline, names map[string]string) (name string, measured bool) {
	name, renamed := names[d.Name]
	if !renamed {
		name = d.Name
	}
	return name, slices.Contains(measuredDetectors(b), name)
}

func measuredDetectors(b contracts.Baseline) (names []string) {
	for _, d := range b.PerDetector {
		names = append(names, d.Score.Detector)
	}
	return names
}

// BesideFigure is a figure of another baseline with that of a new one, which is nil if it
// was not measured.
type BesideFigure struct {
	Figure   string   `json:"figure"`
	Theirs   float64  `json:"theirs"`
	Measured *float64 `json:"measured,omitempty"`
}

// Beside returns the figures of b with those of a baseline, in the order of reports.
func (b OtherBaseline) Beside(next contracts.Baseline, names map[string]string) []BesideFigure {
	rows := []BesideFigure{}
	for _, m := range metrics.Ranking() {
		theirs, ok := b.Metrics[m.Name]
		if !ok {
			continue
		}

		row := BesideFigure{Figure: m.Name, Theirs: theirs}
		if v, ok := next.Metrics[m.Name]; ok {
			row.Measured = &v
		}

		rows = append(rows, row)
	}

	for _, d := range b.Detectors {
		recall := BesideFigure{Figure: d.Name + " recall", Theirs: d.Recall}
		fpr := BesideFigure{Figure: d.Name + " fpr", Theirs: d.FPR}
		if name, ok := d.here(next, names); ok {
			i := slices.IndexFunc(next.PerDetector,
				func(o contracts.BaselineDetector) bool { return o.Score.Detector == name })
			recall.Measured, fpr.Measured = next.PerDetector[i].Score.Recall, next.PerDetector[i].Score.FPR
		}

		rows = append(rows, recall, fpr)
	}

	return rows
}
