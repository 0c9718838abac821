package gate

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/stages/aggregate"
	"github.com/touchstone-eval/touchstone/stages/internal/fixture"
)

const recordedModel = "replay/test/model"

func goodCases() []contracts.CaseResult {
	return []contracts.CaseResult{
		fixture.Case("c1", "TP", 0.9), fixture.Case("c2", "TP", 0.9), fixture.Case("c3", "TP", 0.5), fixture.Case("c4", "TN", 0.9),
		fixture.Case("c5", "FN", 0.2), fixture.Case("c6", "FP", 0.8),
	}
}

// selected runs the stage aggregate over cases of a recorded model, and over
// good ones of the lexical baseline.
func selected(t *testing.T, cases []contracts.CaseResult, baseline *contracts.Baseline) contracts.Aggregate {
	t.Helper()
	f := fixture.Write(t, []contracts.RetrievalReport{fixture.Retrieval(1, goodQueries()...)}, []contracts.SecurityReport{fixture.Security("scanner", 1, goodEntries()...)})
	opts := aggregate.Options{
		Validation: f.Validation, Retrieval: f.Retrieval, Security: f.Security, Out: filepath.Join(f.Dir, "aggregate.json"),
		Selection: f.WriteSelection(t, fixture.Selection(recordedModel, 1, cases...), fixture.Selection("lexical/bm25", 1, goodCases()...)),
	}
	if baseline != nil {
		opts.Baseline = filepath.Join(f.Dir, "baseline.json")
		fixture.WriteFile(t, opts.Baseline, *baseline)
	}
	if err := aggregate.Run(context.Background(), opts); err != nil {
		t.Fatal(err)
	}
	return fixture.ReadFile[contracts.Aggregate](t, opts.Out)
}

func selectionBaseline(t *testing.T) contracts.Baseline {
	t.Helper()
	b, err := NewBaseline(selected(t, goodCases(), nil), nil)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestFirstBaselineOfSelection: recorded models get bounds, a baseline without a
// model does not.
func TestFirstBaselineOfSelection(t *testing.T) {
	b := selectionBaseline(t)
	if len(b.Thresholds.Selection) != 1 || b.Thresholds.Selection[0].Model != recordedModel {
		t.Fatalf("%+v", b.Thresholds.Selection)
	}
	th := b.Thresholds.Selection[0]
	// Accuracy 4/6, wrong tools 1/4, parameters 3/3, misleading 1/6.
	if *th.AccuracyFloor != 0.64 || *th.WrongToolCeiling != 0.27 || *th.ParameterAccuracyFloor != 0.98 || *th.MisleadingCeiling != 0.19 {
		t.Errorf("%v %v %v %v", *th.AccuracyFloor, *th.WrongToolCeiling, *th.ParameterAccuracyFloor, *th.MisleadingCeiling)
	}
	if len(b.Selection.Models) != 2 || !slices.Equal(b.Selection.Models[1].Right, []string{"c1", "c2", "c3", "c4"}) || !slices.Equal(b.Selection.Models[1].Wrong, []string{"c5", "c6"}) {
		t.Errorf("%+v", b.Selection)
	}
	lines := strings.Join(BaselineChanges(nil, b), "\n")
	for _, want := range []string{"cases: cases_v1 (sha256 dddddddddddd), offered: all (new)", "replay/test/model: accuracy 0.6667, wrong tool 0.2500, parameters right 1.0000, confidently wrong 0.1667, needless call 0.5000, 4 cases right (new)"} {
		if !strings.Contains(lines, want) {
			t.Errorf("no %q in\n%s", want, lines)
		}
	}
	if again := BaselineChanges(&b, b); len(again) != 0 {
		t.Errorf("%q", again)
	}
	errored := goodCases()
	errored[3] = fixture.Case("c4", "", 0)
	if _, err := NewBaseline(selected(t, errored, nil), nil); err == nil || !strings.Contains(err.Error(), "1 of 6 cases have no answer of model replay/test/model; record all of them first (c4: there is no recording") {
		t.Errorf("%v", err)
	}
}

func TestGateJudgesSelection(t *testing.T) {
	b := selectionBaseline(t)
	g, log, err := judge(t, selected(t, goodCases(), &b), b)
	if err != nil || !g.Passed || len(g.Changes) != 0 {
		t.Fatalf("%+v, %v\n%s", g, err, log)
	}
	if c := checkOf(t, g, recordedModel, "accuracy"); c.Comparison != ">=" || c.Bound != 0.64 || c.Interval == nil ||
		c.Rule != "4 of 6 runs count, of 6 cases ((TP + TN) / all); the share must be at least 0.64 (accuracy_floor of baseline_v1)" {
		t.Errorf("%+v", c)
	}
	checkOf(t, g, recordedModel, "errored")
	if slices.ContainsFunc(g.Checks, func(c contracts.GateCheck) bool { return c.Subject == "lexical/bm25" }) {
		t.Error("the lexical baseline is judged")
	}

	worse := goodCases()
	worse[0], worse[4] = fixture.Case("c1", "FN", 0.9), fixture.Case("c5", "TP", 0.9)
	worse[1] = fixture.Case("c2", "FN", 0.9)
	g, log, err = judge(t, selected(t, worse, &b), b)
	if err != nil || g.Passed {
		t.Fatalf("%+v, %v", g, err)
	}
	for metric, passed := range map[string]bool{"accuracy": false, "wrong_tool_rate": false, "misleading": false, "parameter_accuracy": true, "errored": true} {
		if c := checkOf(t, g, recordedModel, metric); c.Passed != passed {
			t.Errorf("%s: %+v", metric, c)
		}
	}
	if c := checkOf(t, g, recordedModel, "accuracy"); !slices.Equal(c.Changed, []string{"c1", "c2", "c5"}) {
		t.Errorf("%+v", c.Changed)
	}
	for _, want := range []string{"Accuracy (replay/test/model) is 0.500, must be ≥ 0.640", "regressed replay/test/model: c1: right → called git:open"} {
		if !strings.Contains(log, want) {
			t.Errorf("no %q in\n%s", want, log)
		}
	}
}

func TestErroredCases(t *testing.T) {
	b := selectionBaseline(t)
	cases := goodCases()
	cases[0] = fixture.Case("c1", "", 0)
	g, log, err := judge(t, selected(t, cases, &b), b)
	if err != nil || g.Passed {
		t.Fatalf("%+v, %v", g, err)
	}
	c := checkOf(t, g, recordedModel, "errored")
	if c.Passed || !slices.Equal(c.Changed, []string{"c1"}) || !strings.Contains(log, "failed replay/test/model: c1: error: there is no recording") {
		t.Errorf("%+v\n%s", c, log)
	}
	if c := checkOf(t, g, recordedModel, "accuracy"); c.Value != 0.6 {
		t.Errorf("an errored case counts as missed: %+v", c)
	}
	// Without any answer no bound holds.
	for i := range cases {
		cases[i] = fixture.Case(cases[i].ID, "", 0)
	}
	if g, _, err = judge(t, selected(t, cases, &b), b); err != nil {
		t.Fatal(err)
	}
	for _, metric := range []string{"accuracy", "wrong_tool_rate", "misleading", "parameter_accuracy"} {
		if c := checkOf(t, g, recordedModel, metric); c.Passed || !strings.Contains(c.Rule, "no run is counted") {
			t.Errorf("%+v", c)
		}
	}
}

func TestSelectionThatCannotBeJudged(t *testing.T) {
	good := selectionBaseline(t)
	floor := 0.5
	for name, tc := range map[string]struct {
		thresholds []contracts.SelectionThreshold
		want       string
	}{
		"not measured": {[]contracts.SelectionThreshold{{Model: "replay/x/y", AccuracyFloor: &floor}}, "model replay/x/y has a threshold but was not measured"},
		"no bound":     {[]contracts.SelectionThreshold{{Model: recordedModel}}, "the threshold of model replay/test/model has no bound"},
		"twice":        {[]contracts.SelectionThreshold{{Model: recordedModel, AccuracyFloor: &floor}, {Model: recordedModel, AccuracyFloor: &floor}}, "has two thresholds"},
	} {
		b := good
		b.Thresholds.Selection = tc.thresholds
		if _, _, err := judge(t, selected(t, goodCases(), &b), b); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	b := good
	b.Selection = nil
	if remarks := strings.Join(ThresholdRemarks(nil, b), "\n"); !strings.Contains(remarks, "the threshold for model replay/test/model is kept, but the model is not measured") {
		t.Error(remarks)
	}
}

// TestSelectionWithoutThresholds: what is measured and not bounded moves nothing
// in the verdict, and a baseline without selection is as good as ever.
func TestSelectionWithoutThresholds(t *testing.T) {
	b := goodBaseline(t)
	b.PerDetector = b.PerDetector[1:] // scanner alone
	g, _, err := judge(t, selected(t, goodCases(), &b), b)
	if err != nil || !g.Passed || len(g.Checks) != goodChecks || len(g.Changes) != 0 {
		t.Errorf("%+v, %v", g, err)
	}
}

func TestUnknownToolsAreQuoted(t *testing.T) {
	c := contracts.CaseSummary{Calls: []contracts.MadeCall{{Unknown: "\x1b[2Jx"}}}
	if got := called(c); got != `called "\x1b[2Jx", which is not a tool` {
		t.Error(got)
	}
}

// TestLimitsOfCalls: a forbidden call fails the verdict with a line of its own, and a
// model needs no threshold for that.
func TestLimitsOfCalls(t *testing.T) {
	b := selectionBaseline(t)
	none, two := 0, 2
	agg := selected(t, goodCases(), &b)
	m := &agg.Selection.Models[slices.IndexFunc(agg.Selection.Models, func(m contracts.ModelSummary) bool { return m.Model == recordedModel })]
	for _, tc := range []struct {
		limits           *contracts.CallLimits
		forbidden, extra int
		failed           []string
	}{
		{nil, 3, 3, nil}, {&contracts.CallLimits{ForbiddenCalls: &none}, 0, 3, nil}, {&contracts.CallLimits{ForbiddenCalls: &none}, 1, 3, []string{"forbidden_calls"}},
		{&contracts.CallLimits{ForbiddenCalls: &none, ExtraCalls: &two}, 1, 3, []string{"forbidden_calls", "extra_calls"}}, {&contracts.CallLimits{ExtraCalls: &two}, 1, 2, nil},
	} {
		m.Limits, m.ForbiddenCalls, m.ExtraCalls = tc.limits, tc.forbidden, tc.extra
		m.PerCase[1].ForbiddenCalls, m.PerCase[2].ExtraCalls = tc.forbidden, tc.extra
		var failed []string
		for _, c := range limitChecks(agg) {
			if !c.Passed {
				failed = append(failed, c.Metric)
				if !strings.Contains(c.Rule, ", in c2") && !strings.Contains(c.Rule, ", in c3") {
					t.Errorf("the rule names no case: %s", c.Rule)
				}
			}
		}
		if !slices.Equal(failed, tc.failed) {
			t.Errorf("%+v: %v failed, not %v", tc, failed, tc.failed)
		}
	}
}
