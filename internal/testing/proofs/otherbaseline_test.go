package proofs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/touchstone-eval/touchstone/contracts"
)

// The limits of a baseline of mcp-eval become thresholds that later updates keep, and its figures are shown beside the
// measured ones.
func TestLimitsOfAnotherBaseline(t *testing.T) {
	b := newSmallBench(t, shared(t))
	b.vars = append(b.vars, "--var", `detectors=["keywords"]`)
	other := filepath.Join(b.dir, "theirs.json")
	text := `{"corpus_version": "c9", "golden_version": "g9", "runs_averaged": 2, "recall_at": {"5": 0.125}, "tolerance": {"recall_at_5": 0.07},
		"security": {"per_detector": [{"detector": "words", "recall": 0.5, "fpr": 0.25}], "gate": {"fpr_ceiling": 0.9, "recall_floor": 0.01}}}`
	if err := os.WriteFile(other, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}

	b.wantMessage(exitUsage, []string{"--limits-from"}, "baseline", "update", "--detector-as", "words=keywords")
	b.wantMessage(exitUsage, []string{"no detector", "nobody"}, "baseline", "update", "--limits-from", other, "--detector-as", "nobody=keywords")
	b.wantMessage(exitUsage, []string{"no baseline of mcp-eval"}, "baseline", "update", "--limits-from", filepath.Join(b.dir, "pipeline.hcl"))

	r := b.want(0, "baseline", "update", "--limits-from", other)
	if !strings.Contains(r.stderr, "--detector-as words=NAME (keywords)") {
		t.Errorf("a detector that was not measured: %s", r.stderr)
	}
	r = b.want(0, "baseline", "update", "--limits-from", other, "--detector-as", "words=keywords")
	for _, want := range []string{"theirs.json: corpus c9, golden set g9, 2 runs", "recall_at_5   0.1250", "words recall  0.5000", "words fpr     0.2500"} {
		if !strings.Contains(r.stdout, want) {
			t.Errorf("the output lacks %q:\n%s", want, r.stdout)
		}
	}
	b.want(0, "baseline", "update")
	kept := read[contracts.Baseline](t, filepath.Join(b.dir, "datasets", "baseline_v1.json")).Thresholds
	for _, m := range kept.Retrieval {
		if theirs := m.Metric == "recall_at_5"; m.ByPerson() != theirs || theirs && m.Tolerance != .07 {
			t.Errorf("the threshold of %s: %+v", m.Metric, m)
		}
	}
	if d := kept.Detectors; len(d) != 1 || d[0].FPRCeiling != .9 || d[0].RecallFloor != .01 {
		t.Errorf("the bounds of the detector: %+v", d)
	}
	b.want(0, "gate")
}
