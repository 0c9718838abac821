package render

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/report/summary"
)

// A detector that guesses is called unstable, with the mean and the spread of
// its runs; one without a threshold is listed as not judged.
func TestUnstableDetectorInReports(t *testing.T) {
	half, rate := 0.5, 0.02
	d := contracts.DetectorSummary{
		Runs: 3, Unstable: []string{"e1", "e2"}, PerEntry: make([]contracts.EntrySummary, 4),
		Score: contracts.DetectorScore{
			Detector: "coin", TP: 1, FN: 1, FP: 1, TN: 1, Recall: &half, F1: &half, FPR: &half,
			PrecisionAt: []contracts.BaseRate{{OneIn: 100, Precision: &rate, Interval: &contracts.Interval{Low: 0.01, High: 0.04}}},
		},
		OverRuns: []contracts.RateRuns{{Rate: "recall", Mean: 0.4, Spread: 0.1, PerRun: []float64{0.3, 0.4, 0.5}}, {Rate: "f1", Mean: 0.5, PerRun: []float64{0.5, 0.5, 0.5}}},
	}
	r := contracts.Report{Aggregate: contracts.Aggregate{Detectors: []contracts.DetectorSummary{d}}, Gate: contracts.Gate{
		Passed:   true,
		Unjudged: []contracts.UnjudgedMetric{{Subject: "coin", Metric: "recall", State: contracts.Unjudged, Value: 0.5, Note: "no threshold"}},
		Warnings: []string{"the tolerance of mrr may be exceeded by chance"},
	}}
	text := string(Markdown(r))
	for _, want := range []string{
		"| F1 | FPR, all benign |", "0.500; runs 0.400 ± 0.100", "unstable: the runs disagree on 2 of 4 entries", "in 100: 0.020 (0.010 to 0.040)",
		"Not judged&#58; coin &#40;recall 0.500&#41; &#40;no threshold&#41;", "⚠️ the tolerance of mrr may be exceeded by chance",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	v := viewDetector(d, &r.Gate)
	if v.Stability != "unstable: the runs disagree on 2 of 4 entries" || len(v.BaseRates) != 1 {
		t.Errorf("page: %+v", v)
	}
	shown := map[string]string{}
	for _, rate := range v.Rates {
		shown[rate.Name] = rate.Range
	}
	if shown["Recall"] != "runs 0.400 ± 0.100" || shown["F1"] != "" {
		t.Errorf("ranges %v", shown)
	}
	d.Unstable = nil
	if got := stability(d); got != "all 3 runs agree" {
		t.Errorf("stable: %q", got)
	}
}

// Detectors are folded unless a failed check is about one of them.
func TestDetectorsAreFolded(t *testing.T) {
	const folded = "no check of theirs failed"
	r := sampleReport(t, 20)
	page, err := HTML(r)
	if err != nil || bytes.Contains(page, []byte(folded)) {
		t.Errorf("a failed check of a detector: %v, folded %v", err, bytes.Contains(page, []byte(folded)))
	}

	r.Gate.Checks = slices.DeleteFunc(r.Gate.Checks, func(c contracts.GateCheck) bool { return c.Subject != summary.Retrieval })
	if page, err = HTML(r); err != nil || !bytes.Contains(page, []byte(folded)) {
		t.Errorf("only checks of the ranking: %v, folded %v", err, bytes.Contains(page, []byte(folded)))
	}
}
