package aggregate

import (
	"context"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/metrics"
	"github.com/touchstone-eval/touchstone/stages/internal/fixture"
	"github.com/touchstone-eval/touchstone/stages/internal/overlap"
)

const model = "replay/test/model"

// plain are reports of the other stages.
func plain(t *testing.T) fixture.Files {
	t.Helper()
	return fixture.Write(t,
		[]contracts.RetrievalReport{fixture.Retrieval(1, fixture.Query("q1", map[contracts.ToolID]int{"s:a": 2}, "s:a"))},
		[]contracts.SecurityReport{fixture.Security("scanner", 1, fixture.Entry("m1", "shadowing", "flagged"))})
}

// withSelection aggregates reports of score-selection beside plain ones.
func withSelection(t *testing.T, baseline *contracts.Baseline, reports ...contracts.SelectionReport) (contracts.Aggregate, string, error) {
	t.Helper()
	f := plain(t)
	var log strings.Builder
	o := Options{
		Validation: f.Validation, Retrieval: f.Retrieval, Security: f.Security, Selection: f.WriteSelection(t, reports...),
		Out: filepath.Join(f.Dir, "aggregate.json"), Log: &log,
	}
	if baseline != nil {
		o.Baseline = filepath.Join(f.Dir, "baseline.json")
		fixture.WriteFile(t, o.Baseline, *baseline)
	}
	if err := Run(context.Background(), o); err != nil {
		return contracts.Aggregate{}, "", err
	}
	return fixture.ReadFile[contracts.Aggregate](t, o.Out), log.String(), nil
}

// twoRepeats: c1 is right once, c2 always, c3 never, c4 has one answer, which is
// right.
func twoRepeats() []contracts.SelectionReport {
	return []contracts.SelectionReport{
		fixture.Selection(model, 2, fixture.Case("c1", "FN", 0.9), fixture.Case("c2", "TP", 0.6), fixture.Case("c3", "FP", 0.2), fixture.Case("c4", "", 0)),
		fixture.Selection(model, 1, fixture.Case("c1", "TP", 0.9), fixture.Case("c2", "TP", 0.6), fixture.Case("c3", "FP", 0.8), fixture.Case("c4", "TN", 0.8)),
	}
}

func TestSelectionOverRepeats(t *testing.T) {
	agg, _, err := withSelection(t, nil, twoRepeats()...)
	if err != nil {
		t.Fatal(err)
	}
	s := agg.Selection
	if s == nil || s.Cases != 4 || len(s.Models) != 1 || s.NoComparison != "there is no baseline to compare with" {
		t.Fatalf("%+v", s)
	}
	m := s.Models[0]
	if m.Repeats != 2 || m.Runs != 8 || m.Errored != 1 || m.TP != 3 || m.FN != 1 || m.FP != 2 || m.TN != 1 {
		t.Errorf("%+v", m)
	}
	for name, want := range map[string]struct{ count, of, cases int }{
		"accuracy": {4, 7, 4}, "wrong_tool_rate": {1, 4, 2}, "parameter_accuracy": {3, 3, 2}, "misleading": {2, 7, 4},
		"false_call_rate": {2, 3, 2}, "precision": {3, 5, 3}, "recall": {3, 4, 2}, "hallucinating": {0, 3, 2}, "robust": {2, 7, 4}, "needs_clarity": {2, 7, 4},
	} {
		r, ok := m.Rate(name)
		if !ok || r.Count != want.count || r.Of != want.of || r.Cases != want.cases {
			t.Errorf("%s: %+v, want %+v", name, r, want)
			continue
		}
		interval := metrics.WilsonOf(float64(want.count)/float64(want.of), want.cases)
		if math.Abs(*r.Value-float64(want.count)/float64(want.of)) > 1e-12 || r.Interval.Low != interval.Low || r.Interval.High != interval.High {
			t.Errorf("%s: %v %+v, want the interval over %d cases, %+v", name, *r.Value, r.Interval, want.cases, interval)
		}
	}
	if len(m.Rates) != len(metrics.SelectionRates()) {
		t.Errorf("%d rates of %d", len(m.Rates), len(metrics.SelectionRates()))
	}
}

func TestRepeatsOfCases(t *testing.T) {
	agg, log, err := withSelection(t, nil, twoRepeats()...)
	if err != nil {
		t.Fatal(err)
	}
	m := agg.Selection.Models[0]
	// c4 has one answer, so k goes to 1. c1, c2 and c3 agree 0, 1 and 1.
	if len(m.PassAt) != 1 || m.PassAt[0] != (0.5+1+0+1)/4 || m.Consistency == nil || math.Abs(*m.Consistency-2.0/3) > 1e-12 {
		t.Errorf("pass@k %v, consistency %v", m.PassAt, m.Consistency)
	}
	c1, c4 := m.PerCase[0], m.PerCase[3]
	if c1.Right != 1 || c1.Answers != 2 || c1.IsRight() || c1.Class != "FN" || c1.Calls[0].Tool != "open" {
		t.Errorf("the first wrong answer is shown, and half is no majority: %+v", c1)
	}
	if c4.Answers != 1 || c4.Errored != 1 || !c4.IsRight() || c4.Error == "" {
		t.Errorf("%+v", c4)
	}
	if len(m.Tags) != 1 || m.Tags[0].Tag != "t-c" || m.Tags[0].Accuracy.Of != 7 {
		t.Errorf("%+v", m.Tags)
	}
	if want := "replay/test/model: 4 cases, 2 repeats, 1 failed runs, accuracy 0.5714 [0."; !strings.Contains(log, want) {
		t.Errorf("%q is not in %s", want, log)
	}
}

func TestSelectionBesideTheBaseline(t *testing.T) {
	agg, _, err := withSelection(t, nil, twoRepeats()...)
	if err != nil {
		t.Fatal(err)
	}
	b := baselineOf(agg)
	again, _, err := withSelection(t, b, twoRepeats()...)
	if err != nil || again.Selection.NoComparison != "the baseline has no figures of tool selection; touchstone baseline update adds them" || again.Selection.Models[0].Comparison != nil {
		t.Errorf("%+v, %v", again.Selection, err)
	}

	b.Selection = &contracts.BaselineSelection{
		CasesVersion: "cases_v1", CasesSHA256: fixture.CasesSHA, Offer: contracts.SelectionOffer{Tools: contracts.OfferAll},
		Models: []contracts.BaselineModel{{Model: model, Repeats: 1, Rates: map[string]float64{"accuracy": 0.75}, Right: []string{"c1", "c2"}, Wrong: []string{"c4"}}},
	}
	again, log, err := withSelection(t, b, twoRepeats()...)
	if err != nil {
		t.Fatal(err)
	}
	m := again.Selection.Models[0]
	if c := m.Comparison; c == nil || !slices.Equal(c.Lost, []string{"c1"}) || !slices.Equal(c.Gained, []string{"c4"}) || c.PValue != 1 || c.Verdict != contracts.WithinNoise {
		t.Errorf("%+v", m.Comparison)
	}
	if r, _ := m.Rate("accuracy"); r.Baseline == nil || *r.Baseline != 0.75 {
		t.Errorf("%+v", r)
	}
	if !strings.Contains(log, "; 1 cases lost, 1 gained, p 1.000") {
		t.Error(log)
	}

	b.Selection.CasesSHA256 = fixture.SHA("e")
	if again, _, err = withSelection(t, b, twoRepeats()...); err != nil || !strings.HasPrefix(again.Selection.NoComparison, "the cases (cases_v1, sha256 dddddddddddd) differ") {
		t.Errorf("%+v, %v", again.Selection, err)
	}
	b.Selection.CasesSHA256, b.Selection.Offer = fixture.CasesSHA, contracts.SelectionOffer{Tools: contracts.OfferSearch, TopK: 5}
	if again, _, err = withSelection(t, b, twoRepeats()...); err != nil || again.Selection.NoComparison != "the baseline was made with another offer of tools" {
		t.Errorf("%+v, %v", again.Selection, err)
	}
}

// Of edited cases, only those that are the same are compared. The baseline has no
// rates of a part.
func TestEditedCasesAreNotCompared(t *testing.T) {
	agg, _, err := withSelection(t, nil, twoRepeats()...)
	if err != nil {
		t.Fatal(err)
	}
	b := baselineOf(agg)
	b.Selection = &contracts.BaselineSelection{
		CasesVersion: "cases_v0", CasesSHA256: fixture.SHA("e"), Offer: contracts.SelectionOffer{Tools: contracts.OfferAll},
		Models: []contracts.BaselineModel{{Model: model, Repeats: 1, Rates: map[string]float64{"accuracy": 0.75}, Right: []string{"c1", "c2"}, Wrong: []string{"c4"}}},
	}
	agg.Validation.Digests = &contracts.DataDigests{Cases: map[string]string{"c1": "01", "c2": "02", "c3": "03", "c4": "04"}}
	b.Digests = &contracts.DataDigests{Cases: map[string]string{"c1": "ff", "c2": "02", "c4": "04"}}
	part := overlap.Of(agg, *b)
	if reason := noComparison(agg.Selection, b.Selection, true, part); reason != "" {
		t.Errorf("no comparison: %s", reason)
	}
	m := agg.Selection.Models[0]
	compareModel(&m, b.Selection, part)
	if c := m.Comparison; c == nil || len(c.Lost) != 0 || !slices.Equal(c.Gained, []string{"c4"}) {
		t.Errorf("%+v", m.Comparison)
	}
	if r, _ := m.Rate("accuracy"); r.Baseline != nil {
		t.Errorf("%+v", r)
	}
}

// TestSignificantLoss: seven lost cases and none gained are more than noise.
func TestSignificantLoss(t *testing.T) {
	var cases []contracts.CaseResult
	right := []string{}
	for _, id := range []string{"c1", "c2", "c3", "c4", "c5", "c6", "c7"} {
		cases, right = append(cases, fixture.Case(id, "FN", 0.9)), append(right, id)
	}
	agg, _, err := withSelection(t, nil, fixture.Selection(model, 1, cases...))
	if err != nil {
		t.Fatal(err)
	}
	b := baselineOf(agg)
	b.Selection = &contracts.BaselineSelection{
		CasesVersion: "cases_v1", CasesSHA256: fixture.CasesSHA, Offer: contracts.SelectionOffer{Tools: contracts.OfferAll},
		Models: []contracts.BaselineModel{{Model: model, Repeats: 1, Right: right}},
	}
	agg, _, err = withSelection(t, b, fixture.Selection(model, 1, cases...))
	if c := agg.Selection.Models[0].Comparison; err != nil || len(c.Lost) != 7 || c.PValue != 2.0/128 || c.Verdict != contracts.Regressed {
		t.Errorf("%+v, %v", c, err)
	}
}

func TestSelectionThatDoesNotBelongTogether(t *testing.T) {
	for name, tc := range map[string]struct {
		change func(r []contracts.SelectionReport)
		want   string
	}{
		"other corpus": {func(r []contracts.SelectionReport) { r[0].CorpusSHA256 = fixture.SHA("0") }, "another corpus"},
		"other cases":  {func(r []contracts.SelectionReport) { r[0].CasesSHA256 = fixture.SHA("0") }, "another set of cases"},
		"same repeat":  {func(r []contracts.SelectionReport) { r[0].Repeat = 1 }, "are both reports of repeat 1 of model replay/test/model"},
		"other offer":  {func(r []contracts.SelectionReport) { r[1].Offer.Tools = contracts.OfferSearch }, "differ in the tools that were offered"},
		"missing case": {func(r []contracts.SelectionReport) { r[1].PerCase = r[1].PerCase[:3] }, "case c4 is only in"},
		"case twice":   {func(r []contracts.SelectionReport) { r[1].PerCase[1].ID = "c1" }, "case c1 occurs twice"},
		"no outcome":   {func(r []contracts.SelectionReport) { r[1].PerCase[1].Class = "" }, "case c2 must have either a class or an error"},
	} {
		r := twoRepeats()
		tc.change(r)
		if _, _, err := withSelection(t, nil, r...); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, want %s", name, err, tc.want)
		}
	}
	f := plain(t)
	dir := f.WriteSelection(t, twoRepeats()...)
	fixture.WriteFile(t, f.Validation, fixture.Validation())
	err := Run(context.Background(), Options{Validation: f.Validation, Retrieval: f.Retrieval, Security: f.Security, Selection: dir, Out: filepath.Join(f.Dir, "a.json")})
	if err == nil || !strings.Contains(err.Error(), "no cases were validated") {
		t.Errorf("%v", err)
	}
}

func TestSimilarityIsTakenOver(t *testing.T) {
	f := plain(t)
	o := Options{Validation: f.Validation, Retrieval: f.Retrieval, Security: f.Security, Similarity: filepath.Join(f.Dir, "similarity.json"), Out: filepath.Join(f.Dir, "a.json")}
	r := fixture.Similarity()
	fixture.WriteFile(t, o.Similarity, r)
	if err := Run(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	agg := fixture.ReadFile[contracts.Aggregate](t, o.Out)
	if agg.Similarity == nil || len(agg.Similarity.Flagged) != 1 || agg.Selection != nil {
		t.Errorf("%+v", agg.Similarity)
	}
	r.CorpusSHA256 = fixture.SHA("0")
	fixture.WriteFile(t, o.Similarity, r)
	if err := Run(context.Background(), o); err == nil || !strings.Contains(err.Error(), "another corpus") {
		t.Error(err)
	}
}
