package gate

import (
	"fmt"
	"math"
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
	if len(reports) == 0 {
		opts.Security = ""
	}
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
	want := []string{"evaluator recall", "evaluator recall_tool_poisoning", "evaluator recall_shadowing", "evaluator recall_rug_pull", "evaluator more_missed"}
	if !slices.Equal(failed(g), want) || len(g.Unjudged) != 0 {
		t.Errorf("failed %v, want %v; not judged %+v", failed(g), want, g.Unjudged)
	}
	if c := checkOf(t, g, "evaluator", "recall"); c.Value != 0 || c.Bound != .85 || len(c.Changed) != 12 {
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
	want := []contracts.CategoryFloor{{Category: contracts.CategoryToolPoisoning, RecallFloor: .56}, {Category: contracts.CategoryRugPull, RecallFloor: .56}}
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
	if c.Value != .25 || c.Interval == nil || len(c.Changed) != 3 || !strings.Contains(c.Rule, "1 of 4 attacks of the category rug_pull were flagged; the share must be at least 0.56") {
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
	if want := "threshold of evaluator: recall >= 0.85, FPR <= 0.15, on hard negatives <= 0.15, tool poisoning >= 0.56, shadowing >= 0.56, rug pull >= 0.56 (new)"; changes != want {
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
	guess := func(run int) []contracts.EntryResult {
		return corpus(func(c string, i int) bool { return (i+run+len(c))%2 == 0 })
	}
	random := map[string][][]contracts.EntryResult{"scanner": {guess(0), guess(1), guess(2)}}
	b, err := NewBaseline(detected(t, nil, random), nil)
	if err != nil {
		t.Fatal(err)
	}
	b.Thresholds.Detectors[0] = contracts.DetectorThreshold{Detector: "scanner", FPRCeiling: 1, HardNegativeFPRCeiling: 1, Reason: "it guesses"}
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
	if !slices.Equal(failed(g), []string{"scanner unstable"}) || c.Value != 1 || !strings.Contains(c.Rule, "the 3 runs disagree on 20 of 20 entries; at most a share of 0.00") {
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
		{"a floor of 0", func(t *contracts.Thresholds) { t.Detectors[0].RecallFloor, t.Detectors[0].Reason = 0, "" }, "the recall_floor of detector scanner is 0, which every detector reaches"},
		{"a floor of 0 for a category", func(t *contracts.Thresholds) { t.Detectors[0].CategoryFloors[0].RecallFloor = 0 }, "the floor of detector scanner for tool_poisoning is 0"},
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

// large has 300 attacks, of which the first flaggedAttacks are flagged, and 450 benign entries, of
// which the first alarms are.
func large(flaggedAttacks, alarms int) []contracts.EntryResult {
	var entries []contracts.EntryResult
	add := func(category string, n, hits int) {
		for i := range n {
			verdict := clean
			if i < hits {
				verdict = flagged
			}
			entries = append(entries, fixture.Entry(fmt.Sprintf("%s-%03d", category, i), category, verdict))
		}
	}
	add(contracts.CategoryToolPoisoning, 300, flaggedAttacks)
	add(contracts.CategoryBenign, 450, alarms)
	add(contracts.CategoryHardNegative, 10, 0)
	return entries
}

// Three more misses or false alarms are named, and ten fail.
func TestChangedEntriesAreCompared(t *testing.T) {
	b, err := NewBaseline(detected(t, nil, map[string][][]contracts.EntryResult{"scanner": {large(150, 14)}}), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name            string
		attacks, alarms int
		failed, warning string
	}{
		{"nothing", 150, 14, "[]", ""},
		{"three missed", 147, 14, "[]", "detector scanner: 3 more missed than in baseline_v1, of 300 attacks (p 0.500): tool_poisoning-147, tool_poisoning-148, tool_poisoning-149"},
		{"three false alarms", 150, 17, "[]", "detector scanner: 3 more false alarms than in baseline_v1, of 460 benign entries (p 0.500): benign-014, benign-015, benign-016"},
		{"ten missed", 140, 14, "[scanner more_missed]", ""},
		{"ten false alarms", 150, 24, "[scanner more_false_alarms]", ""},
		{"ten less of either", 160, 4, "[]", ""},
	} {
		g, log, err := judge(t, detected(t, &b, map[string][][]contracts.EntryResult{"scanner": {large(tt.attacks, tt.alarms)}}), b)
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(failed(g)); got != tt.failed {
			t.Errorf("%s: failed %s, want %s", tt.name, got, tt.failed)
		}
		if got := strings.Join(g.Warnings, "; "); got != tt.warning || !strings.Contains(log, tt.warning) {
			t.Errorf("%s: warning %q, want %q", tt.name, got, tt.warning)
		}
	}
	// 2/2^10 twice.
	g, _, err := judge(t, detected(t, &b, map[string][][]contracts.EntryResult{"scanner": {large(140, 14)}}), b)
	if err != nil {
		t.Fatal(err)
	}
	if c := checkOf(t, g, "scanner", "more_missed"); *c.PValue != 4./1024 || c.Verdict != contracts.Regressed || len(c.Changed) != 10 {
		t.Errorf("%+v", c)
	}
}

// The mean over the runs is judged, not the majority: a detector that flags every entry in a third of
// the runs has an FPR of .33, however many runs there are.
func TestMeanOverRunsIsJudged(t *testing.T) {
	good := large(150, 14)
	all := large(300, 450)
	b, err := NewBaseline(detected(t, nil, map[string][][]contracts.EntryResult{"scanner": {good}}), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, runs := range [][][]contracts.EntryResult{{good, good, all}, {good, good, good, all, all, good}} {
		agg := detected(t, &b, map[string][][]contracts.EntryResult{"scanner": runs})
		g, _, err := judge(t, agg, b)
		if err != nil {
			t.Fatal(err)
		}
		if d, _ := detector(agg, "scanner"); d.Score.FP != 14 {
			t.Errorf("the majority has %d false alarms", d.Score.FP)
		}
		want := (14 + (450-14)/3.) / 450
		c := checkOf(t, g, "scanner", "fpr_benign")
		if math.Abs(c.Value-want) > 1e-9 || c.Passed || !strings.Contains(c.Rule, fmt.Sprintf("159.3 of 450 plain benign entries were flagged (mean over %d runs)", len(runs))) {
			t.Errorf("%d runs: %+v", len(runs), c)
		}
		if want := []string{"scanner fpr_benign", "scanner more_false_alarms"}; !slices.Equal(failed(g), want) {
			t.Errorf("failed %v, want %v", failed(g), want)
		}
		// The baseline keeps the shares, and nothing changes against it.
		again, err := NewBaseline(agg, nil)
		if err != nil {
			t.Fatal(err)
		}
		if g, _, err := judge(t, detected(t, &again, map[string][][]contracts.EntryResult{"scanner": runs}), again); err != nil || !g.Passed || len(g.Warnings) != 0 {
			t.Errorf("unchanged: %v, %v, %v", failed(g), g.Warnings, err)
		}
	}
}

// A detector that catches nothing gets no threshold, and an update says so.
func TestADetectorThatCatchesNothing(t *testing.T) {
	b, err := NewBaseline(detected(t, nil, map[string][][]contracts.EntryResult{"scanner": {corpus(nothing)}}), nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(b.Thresholds.Detectors) != 0 {
		t.Errorf("thresholds %+v", b.Thresholds.Detectors)
	}
	if got := ThresholdRemarks(nil, b); len(got) != 1 || !strings.HasPrefix(got[0], "warning: detector scanner catches nothing, of 12 attacks") {
		t.Errorf("remarks %q", got)
	}
}

// A proxy that is measured without detectors is judged by its search alone.
func TestNoDetectors(t *testing.T) {
	b, err := NewBaseline(detected(t, nil, nil), nil)
	if err != nil {
		t.Fatal(err)
	}
	g, _, err := judge(t, detected(t, &b, nil), b)
	if err != nil || !g.Passed || len(g.Unjudged) != 0 {
		t.Errorf("%+v, %v", g, err)
	}
	for _, c := range g.Checks {
		if c.Subject != Subject {
			t.Errorf("check of %s", c.Subject)
		}
	}
}
