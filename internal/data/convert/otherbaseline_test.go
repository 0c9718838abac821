package convert

import (
	"reflect"
	"strings"
	"testing"

	"github.com/touchstone-eval/touchstone/contracts"
)

const otherBaseline = `{
	"__doc__": "x", "corpus_version": "c1", "golden_version": "g1", "runs_averaged": 3,
	"recall_at": {"1": 0.25, "5": 0.5, "20": 0.75}, "mrr": 0.4, "generated_from": {"harness": "h"},
	"tolerance": {"recall_at_5": 0.05, "p_at_9": 0.1}, "latency_ms": 12,
	"security": {"per_detector": [{"detector": "words", "recall": 0.5, "fpr": 0.25, "tp": 1}, {"detector": "gone", "recall": 1, "fpr": 0}],
		"gate": {"fpr_ceiling": 0.3, "recall_floor": 0.4}}
}`

func TestOtherBaseline(t *testing.T) {
	b, err := ReadOtherBaseline([]byte(otherBaseline))
	if err != nil {
		t.Fatal(err)
	}
	want := OtherBaseline{
		CorpusVersion: "c1", GoldenVersion: "g1", Runs: 3,
		Metrics:    map[string]float64{"recall_at_1": .25, "recall_at_5": .5, "mrr": .4},
		Tolerances: map[string]float64{"recall_at_5": .05},
		Detectors:  []OtherDetector{{"words", .5, .25}, {"gone", 1, 0}},
		Bounds:     &OtherBounds{FPRCeiling: .3, RecallFloor: .4},
		Unread:     []string{"figure recall_at_20", "tolerance of p_at_9", `field "latency_ms"`},
	}
	if !reflect.DeepEqual(b, want) {
		t.Errorf("got\n%+v\nwant\n%+v", b, want)
	}
	derived, rate := .02, .75
	next := contracts.Baseline{
		Metrics:     contracts.RetrievalMetrics{"recall_at_5": .45, "mrr": .5},
		PerDetector: []contracts.BaselineDetector{{Score: contracts.DetectorScore{Detector: "keywords", Recall: &rate, FPR: &rate}}},
		Thresholds: contracts.Thresholds{
			Retrieval: []contracts.MetricThreshold{{Metric: "mrr", Tolerance: derived, Derived: &derived}, {Metric: "recall_at_5", Tolerance: derived, Derived: &derived, NonInferiority: true}},
			Detectors: []contracts.DetectorThreshold{{Detector: "keywords", FPRCeiling: .9, HardNegativeFPRCeiling: .8, RecallFloor: .1}},
		},
	}
	names := map[string]string{"words": "keywords"}
	notes := b.Limit(&next, names, "theirs.json")
	if len(notes) != 1 || !strings.Contains(notes[0], "--detector-as gone=NAME (keywords)") {
		t.Errorf("notes: %q", notes)
	}
	mrr, recall := next.Thresholds.Retrieval[0], next.Thresholds.Retrieval[1]
	if mrr.ByPerson() || mrr.Tolerance != derived {
		t.Errorf("a tolerance that the other baseline lacks changed: %+v", mrr)
	}
	if !recall.ByPerson() || recall.Tolerance != .05 || recall.NonInferiority || !strings.Contains(recall.Reason, "theirs.json") {
		t.Errorf("recall_at_5: %+v", recall)
	}
	if d := next.Thresholds.Detectors; len(d) != 1 || d[0].FPRCeiling != .3 || d[0].RecallFloor != .4 || d[0].HardNegativeFPRCeiling != .8 {
		t.Errorf("the bounds of the detector: %+v", d)
	}
	var rows []string
	for _, r := range b.Beside(next, names) {
		if r.Measured == nil {
			rows = append(rows, r.Figure+" -")
		} else {
			rows = append(rows, r.Figure)
		}
	}
	if got := strings.Join(rows, ", "); got != "recall_at_1 -, recall_at_5, mrr, words recall, words fpr, gone recall -, gone fpr -" {
		t.Errorf("beside each other: %s", got)
	}
}

func TestNoOtherBaseline(t *testing.T) {
	for text, want := range map[string]string{
		`{`:                            "no baseline of mcp-eval",
		`{"version": "baseline_v1"}`:   `no figures "recall_at"`,
		`{"recall_at": {"5": "high"}}`: "no baseline of mcp-eval",
		`{"recall_at": {"5": 1}, "tolerance": {"recall_at_5": 5}}`:             "a value from 0 to 1",
		`{"recall_at": {"5": 1}, "security": {"gate": {"fpr_ceiling": -0.1}}}`: "values from 0 to 1",
	} {
		if _, err := ReadOtherBaseline([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", text, err, want)
		}
	}
}

func FuzzReadOtherBaseline(f *testing.F) {
	f.Add([]byte(otherBaseline))
	f.Add([]byte(`{"recall_at": {"5": null}, "security": {"per_detector": [null]}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		b, err := ReadOtherBaseline(data)
		if err != nil {
			return
		}
		next := contracts.Baseline{}
		b.Limit(&next, nil, "f")
		b.Beside(next, nil)
	})
}
