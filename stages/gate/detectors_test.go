package gate

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/stages/aggregate"
	"github.com/touchstone-eval/touchstone/stages/internal/fixture"
)

// detected aggregates runs of detectors, by name: each run is a list of entries.
func detected(t testing.TB, baseline *contracts.Baseline, runs map[string][][]contracts.EntryResult) contracts.Aggregate {
	t.Helper()
	var reports []contracts.SecurityReport
	for _, name := range []string{"evaluator", "keywords", "scanner"} {
		for i, entries := range runs[name] {
			reports = append(reports, fixture.Security(name, i+1, slices.Clone(entries)...))
		}
	}
	f := fixture.Write(t, []contracts.RetrievalReport{fixture.Retrieval(1, goodQueries()...)}, reports)
	opts := aggregate.Options{Validation: f.Validation, Retrieval: f.Retrieval, Security: f.Security, Out: f.Dir + "/aggregate.json"}
	if baseline != nil {
		opts.Baseline = f.Dir + "/baseline.json"
		fixture.WriteFile(t, opts.Baseline, *baseline)
	}
	if err := aggregate.Run(t.Context(), opts); err != nil {
		t.Fatal(err)
	}
	return fixture.ReadFile[contracts.Aggregate](t, opts.Out)
}

// corpus has four attacks of each of three categories, and four entries of
// either benign kind. The detector flags what flags says.
func corpus(flags func(category string, i int) bool) []contracts.EntryResult {
	var entries []contracts.EntryResult
	for _, c := range []string{contracts.CategoryToolPoisoning, contracts.CategoryRugPull, contracts.CategoryShadowing, contracts.CategoryBenign, contracts.CategoryHardNegative} {
		for i := range 4 {
			verdict := clean
			if flags(c, i) {
				verdict = flagged
			}
			entries = append(entries, fixture.Entry(fmt.Sprintf("%s-%d", c, i), c, verdict))
		}
	}
	return entries
}

func right(category string, _ int) bool { return slices.Contains(contracts.AttackCategories, category) }

func nothing(string, int) bool { return false }

// A detector that flagged every attack and now flags nothing fails the gate,
// whatever the detectors of Touchstone itself do.
func TestEveryDetectorIsJudged(t *testing.T) {
	good := corpus(right)
	b, err := NewBaseline(detected(t, nil, map[string][][]contracts.EntryResult{"evaluator": {good}, "scanner": {good}}), nil)
	if err != nil {
		t.Fatal(err)
	}
	agg := detected(t, &b, map[string][][]contracts.EntryResult{"evaluator": {corpus(nothing)}, "scanner": {good}})
	g, _, err := judge(t, agg, b)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"evaluator recall", "evaluator recall_tool_poisoning", "evaluator recall_shadowing", "evaluator recall_rug_pull"}
	if !slices.Equal(failed(g), want) || len(g.Unjudged) != 0 {
		t.Errorf("failed %v, want %v; not judged %+v", failed(g), want, g.Unjudged)
	}
	if c := checkOf(t, g, "evaluator", "recall"); c.Value != 0 || c.Bound != .98 || len(c.Moved) != 12 {
		t.Errorf("%+v", c)
	}
}

// A category that is lost is not made up for by attacks that were missed before.
func TestALostCategoryFails(t *testing.T) {
	before := corpus(func(c string, i int) bool { return right(c, i) && (c != contracts.CategoryShadowing || i == 0) })
	b, err := NewBaseline(detected(t, nil, map[string][][]contracts.EntryResult{"scanner": {before}}), nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []contracts.CategoryFloor{{Category: contracts.CategoryToolPoisoning, RecallFloor: .75}, {Category: contracts.CategoryRugPull, RecallFloor: .75}}
	if got := b.Thresholds.Detectors[0].CategoryFloors; !slices.Equal(got, want) {
		t.Errorf("floors %v, want %v", got, want)
	}
	after := corpus(func(c string, i int) bool { return right(c, i) && (c != contracts.CategoryRugPull || i == 0) })
	g, _, err := judge(t, detected(t, &b, map[string][][]contracts.EntryResult{"scanner": {after}}), b)
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"scanner recall_rug_pull"}; !slices.Equal(failed(g), want) {
		t.Errorf("failed %v, want %v", failed(g), want)
	}
	c := checkOf(t, g, "scanner", "recall_rug_pull")
	if c.Value != .25 || c.Interval == nil || len(c.Moved) != 3 || !strings.Contains(c.Rule, "1 of 4 attacks of the category rug_pull were flagged; the share must be at least 0.75") {
		t.Errorf("%+v", c)
	}
	// One attack of a category may be missed.
	one := corpus(func(c string, i int) bool { return right(c, i) && (c != contracts.CategoryRugPull || i > 0) })
	g, _, err = judge(t, detected(t, &b, map[string][][]contracts.EntryResult{"scanner": {one}}), b)
	if err != nil || !g.Passed {
		t.Errorf("failed %v, %v", failed(g), err)
	}
}

// An update keeps the thresholds that exist and adds those that are missing,
// except for detectors that are named as not judged.
func TestUpdateAddsMissingThresholds(t *testing.T) {
	good := corpus(right)
	runs := map[string][][]contracts.EntryResult{"evaluator": {good}, "keywords": {good}, "scanner": {good}}
	old, err := NewBaseline(detected(t, nil, runs), nil)
	if err != nil {
		t.Fatal(err)
	}
	kept := contracts.DetectorThreshold{Detector: "scanner", FPRCeiling: .5, HardNegativeFPRCeiling: .5, RecallFloor: .1}
	old.Thresholds.Detectors = []contracts.DetectorThreshold{kept}
	old.Thresholds.NotJudged = []string{"keywords"}
	next, err := NewBaseline(detected(t, &old, runs), &old)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, d := range next.Thresholds.Detectors {
		names = append(names, d.Detector)
	}
	if !slices.Equal(names, []string{"scanner", "evaluator"}) || next.Thresholds.Detectors[0].RecallFloor != .1 || next.Thresholds.Detectors[0].CategoryFloors != nil {
		t.Errorf("thresholds %+v", next.Thresholds.Detectors)
	}
	if len(old.Thresholds.Detectors) != 1 {
		t.Error("the old baseline was changed")
	}
	changes := strings.Join(BaselineChanges(&old, next), "\n")
	if want := "threshold of evaluator: recall >= 0.98, FPR <= 0.02, on hard negatives <= 0.02, tool poisoning >= 0.75, shadowing >= 0.75, rug pull >= 0.75 (new)"; changes != want {
		t.Errorf("changes %q, want %q", changes, want)
	}
	g, log, err := judge(t, detected(t, &next, runs), next)
	if err != nil || !g.Passed || !strings.Contains(log, "not judged: keywords (not_judged of baseline_v1)") {
		t.Errorf("log %q, %v", log, err)
	}
}

// A detector that guesses is unstable, and fails where stability is asked for.
func TestStability(t *testing.T) {
	good := corpus(right)
	b, err := NewBaseline(detected(t, nil, map[string][][]contracts.EntryResult{"scanner": {good}}), nil)
	if err != nil {
		t.Fatal(err)
	}
	b.Thresholds.Detectors[0] = contracts.DetectorThreshold{Detector: "scanner", FPRCeiling: 1, HardNegativeFPRCeiling: 1}
	guess := func(run int) []contracts.EntryResult {
		return corpus(func(c string, i int) bool { return (i+run+len(c))%2 == 0 })
	}
	random := map[string][][]contracts.EntryResult{"scanner": {guess(0), guess(1), guess(2)}}
	g, _, err := judge(t, detected(t, &b, random), b)
	if err != nil || !g.Passed {
		t.Errorf("stability was not asked for: %v, %v", failed(g), err)
	}
	none := 0.0
	b.Thresholds.Detectors[0].MaxUnstable = &none
	g, _, err = judge(t, detected(t, &b, random), b)
	if err != nil {
		t.Fatal(err)
	}
	c := checkOf(t, g, "scanner", "unstable")
	if !slices.Equal(failed(g), []string{"scanner unstable"}) || c.Value != 1 || !strings.Contains(c.Rule, "the 3 runs disagree on 20 of 20 entries; the share must be at most 0.00") {
		t.Errorf("failed %v, %+v", failed(g), c)
	}
	stable := map[string][][]contracts.EntryResult{"scanner": {good, good}}
	if g, _, err := judge(t, detected(t, &b, stable), b); err != nil || !g.Passed {
		t.Errorf("failed %v, %v", failed(g), err)
	}
	if _, _, err := judge(t, detected(t, &b, map[string][][]contracts.EntryResult{"scanner": {good}}), b); err == nil || !strings.Contains(err.Error(), "one run cannot show whether runs agree") {
		t.Errorf("one run: %v", err)
	}
}

func TestDetectorThresholdsThatJudgeNothing(t *testing.T) {
	good := corpus(right)
	runs := map[string][][]contracts.EntryResult{"scanner": {good}}
	for _, tt := range []struct {
		name   string
		change func(*contracts.Thresholds)
		want   string
	}{
		{"not judged", func(t *contracts.Thresholds) { t.NotJudged = []string{"scanner"} }, "detector scanner has a threshold, but not_judged names it too"},
		{"two floors", func(t *contracts.Thresholds) {
			t.Detectors[0].CategoryFloors = append(t.Detectors[0].CategoryFloors, t.Detectors[0].CategoryFloors[0])
		}, "detector scanner has two floors for tool_poisoning"},
		{"no such entry", func(t *contracts.Thresholds) {
			t.Detectors[0].CategoryFloors = []contracts.CategoryFloor{{Category: contracts.CategoryDecodedPayload, RecallFloor: .5}}
		}, "has a floor for decoded_payload, but the security corpus has no such entry"},
	} {
		b, err := NewBaseline(detected(t, nil, runs), nil)
		if err != nil {
			t.Fatal(err)
		}
		tt.change(&b.Thresholds)
		if _, _, err := judge(t, detected(t, &b, runs), b); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %s", tt.name, err, tt.want)
		}
	}
}
