package render

import (
	"fmt"
	"strings"
	"testing"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/metrics"
)

// hostileName is a name that the contracts allow.
const hostileName = "</script><img src=x onerror=window.pwned=1> @someone #1"

// sampleSelection has a baseline and a recorded model with 30 wrong cases, of
// which the first called what attacks every format.
func sampleSelection() *contracts.SelectionAggregate {
	sum := strings.Repeat("0123456789abcdef", 4)
	s := &contracts.SelectionAggregate{CasesVersion: "v1", CasesSHA256: sum, Cases: 45, Offer: contracts.SelectionOffer{Tools: contracts.OfferSearch, TopK: 10, Proxy: "reference"}}
	for _, name := range []string{"lexical/bm25", "replay/test/model"} {
		m := contracts.ModelSummary{Model: name, AnsweredBy: contracts.AnsweredByRecording, Repeats: 3, Runs: 135, Errored: 1, TP: 40, FP: 10, TN: 20, FN: 64}
		if name == "lexical/bm25" {
			m.AnsweredBy = contracts.AnsweredByBaseline
		}
		for i, r := range metrics.SelectionRates() {
			value, before := float64(i+1)/20, float64(i+2)/20
			m.Rates = append(m.Rates, contracts.RateSummary{Rate: r.Name, Count: 6 * (i + 1), Of: 120, Cases: 40, Value: &value, Interval: &contracts.Interval{Low: value - 0.01, High: value + 0.02}, Baseline: &before})
		}
		m.Rates[3] = contracts.RateSummary{Rate: m.Rates[3].Rate}
		correct, same := 0.75, 0.875
		m.Means = []contracts.MeanSummary{{Mean: "parameter_correctness", Of: 40, Value: &correct, Interval: &contracts.Interval{Low: 0.7, High: 0.8}}, {Mean: "parameter_completeness"}}
		m.PassAt, m.PassAll, m.Consistency = []float64{0.5, 0.6, 0.65}, []float64{0.5, 0.4, 0.35}, &same
		m.Tags = []contracts.TagSummary{{Tag: hostileName, Accuracy: m.Rates[0]}, {Tag: "none", Accuracy: m.Rates[3]}}
		m.Comparison = &contracts.CasesComparison{Lost: []string{"c020"}, Gained: []string{}, PValue: 1, Verdict: contracts.WithinNoise}
		for i := range 31 {
			c := contracts.CaseSummary{ID: fmt.Sprintf("c%03d", i), Query: "request", Expected: []contracts.ExpectedCall{{Server: "git", Tool: "close"}}, Answers: 3, Right: 1, Class: "FN",
				Calls: []contracts.MadeCall{{Server: "git", Tool: "open"}}, Reasoning: "The model called open.", Withheld: []string{"git:close"}}
			switch i {
			case 0:
				c.Right, c.Query, c.Calls, c.Reasoning = 0, hostile, []contracts.MadeCall{{Unknown: hostile}}, hostile
			case 1:
				c.Right, c.Answers, c.Errored, c.Error, c.Calls, c.Expected = 0, 0, 3, "no recording "+hostile, nil, nil
			case 30:
				c.Right = 3
			}
			m.PerCase = append(m.PerCase, c)
		}
		s.Models = append(s.Models, m)
	}
	return s
}

func sampleSimilarity() *contracts.SimilarityReport {
	s := &contracts.SimilarityReport{CorpusVersion: "v1", CorpusSHA256: strings.Repeat("0123456789abcdef", 4), Tools: 228, Method: "tfidf", Threshold: 0.4, FlaggedTotal: 70, OverlapTotal: 1}
	for i := range 30 {
		s.Flagged = append(s.Flagged, contracts.SimilarPair{A: fmt.Sprintf("git:close_%d", i), B: "git:" + hostileName, Score: 0.9 - float64(i)/100,
			Issues: []contracts.SimilarityIssue{{Type: "naming_clarity", Description: "The names share words. " + hostile}}})
	}
	s.Clusters = [][]contracts.ToolID{{"git:close", "git:open"}}
	return s
}

func TestSelectionIsShown(t *testing.T) {
	r := sampleReport(t, 5)
	r.Gate.Checks = append(r.Gate.Checks, contracts.GateCheck{Subject: "replay/test/model", Metric: "accuracy", Value: 0.05, Bound: 0.5, Comparison: ">="})
	page, err := HTML(r)
	if err != nil {
		t.Fatal(err)
	}
	text := string(page)
	for _, want := range []string{
		"Tool selection", "a baseline that matches words, not a model; 3 repeats: TP 40, FP 10, TN 20, FN 64, 1 errored", "recorded answers; 3 repeats",
		`<div class="fail"><dt>Accuracy</dt><dd><b>0.050</b> <small>0.040 to 0.070, 6 of 120</small></dd>`, "<dt>Misleading</dt><dd><b>–</b> <small>not defined</small>",
		"pass@3 0.650, pass^3 0.350", "Consistency 0.875", "Parameter correctness 0.750 (0.700 to 0.800)", "Against the baseline: 1 lost, 0 gained ~ (McNemar p 1.000)",
		"the first 10 tools that the search of reference finds", "Worst cases: replay/test/model", "10 more cases are not shown: report.json has them.", "Not on offer: git:close.",
		"0 of 0, 3 errored", "Similar tools", "70 pairs with a similarity of 0.400 or more", "50 more pairs are not shown: report.json lists 30.", "git:close, git:open",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if strings.Contains(text, "<img src=x") {
		t.Error("what a model said is in the page as markup")
	}
	// What was lost against the baseline comes first.
	if lost, other := strings.Index(text, ">c020<"), strings.Index(text, ">c000<"); lost < 0 || other < 0 || lost > other {
		t.Errorf("c020 at %d, c000 at %d", lost, other)
	}

	text = string(Markdown(r))
	for _, want := range []string{
		"<details><summary>Tool selection: 45 cases</summary>", "| lexical/bm25 (a baseline, no model) | 0.050 (0.040 to 0.070) | 0.100 (0.090 to 0.120) |", "| replay/test/model | 0.050",
		"Worst cases of replay/test/model", "| c020 request | 1 of 3 | git&#58;close | git&#58;open |", "<details><summary>Similar tools: 70 pairs</summary>", "| git&#58;close&#95;0 |",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.Contains(text, "@someone") || strings.Contains(text, "<img") {
		t.Error("what a model said is live in Markdown")
	}

	x, err := JUnit(r)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`<testsuite name="selection" tests="2" failures="0" errors="0">`, `classname="selection" name="lexical/bm25"`, "A baseline that matches words, not a model.", "Accuracy 0.050 (0.040 to 0.070), 6 of 120", "c020 (1 of 3 right): git:close expected, git:open called: request"} {
		if !strings.Contains(string(x), want) {
			t.Errorf("no %q in\n%s", want, x)
		}
	}
}

// Without cases, reports are what they were.
func TestSelectionThatWasNotMeasured(t *testing.T) {
	r := sampleReport(t, 5)
	r.Aggregate.Selection, r.Aggregate.Similarity = nil, nil
	page, err := HTML(r)
	if err != nil {
		t.Fatal(err)
	}
	x, err := JUnit(r)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{string(page), string(Markdown(r)), string(x)} {
		for _, never := range []string{"Tool selection", "Similar tools", `id="selection"`, `"selection"`} {
			if strings.Contains(text, never) {
				t.Errorf("%q without figures", never)
			}
		}
	}
}

func TestDiffOfSelection(t *testing.T) {
	a, b := sampleReport(t, 3), sampleReport(t, 3)
	m := &b.Aggregate.Selection.Models[1]
	m.PerCase[30].Right, m.PerCase[5].Right = 0, 3
	m.PerCase[6].Errored, m.PerCase[6].Error = 1, "no recording"
	value := 0.9
	m.Rates[0].Value = &value
	b.Aggregate.Selection.CasesSHA256 = strings.Repeat("0", 64)
	text := strings.Join(Diff(a, b).Lines(), "\n")
	for _, want := range []string{
		"note: the cases datasets differ", "replay/test/model Accuracy: 0.050 → 0.900", "regressed: replay/test/model c030 (git:open → git:open) request",
		"fixed: replay/test/model c005", "errored: replay/test/model c006 (error: no recording)",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	a.Aggregate.Selection = nil
	if text := strings.Join(Diff(a, b).Lines(), "\n"); strings.Contains(text, "c030") || !strings.Contains(text, "replay/test/model Accuracy: new, 0.900") {
		t.Error(text)
	}
}

func TestComparisonOfSelection(t *testing.T) {
	c := sampleComparison(t, 5)
	page, err := ComparisonHTML(c)
	if err != nil {
		t.Fatal(err)
	}
	var terminal strings.Builder
	if err := WriteComparison(&terminal, c, 3); err != nil {
		t.Fatal(err)
	}
	for _, want := range []struct{ where, text, part string }{
		{"page", string(page), `<td>replay/test/model</td><td>30</td><td>0.050 (0.040 to 0.070)</td><td>0.050 (0.040 to 0.070)</td>`},
		{"page", string(page), `loss: <span class="id">c030</span> request`},
		{"Markdown", string(ComparisonMarkdown(c)), "| lexical/bm25 &#40;a baseline&#41; | 30 | 0.050 (0.040 to 0.070) | 0.050 (0.040 to 0.070) |"},
		{"Markdown", string(ComparisonMarkdown(c)), "| 1 | 0 | 1.000 | loss c030 |"},
		{"terminal", strings.Join(strings.Fields(terminal.String()), " "), "model cases Accuracy A B Wrong tool A B"},
		{"terminal", strings.Join(strings.Fields(terminal.String()), " "), "lexical/bm25 (a baseline) 30 0.050 (0.040 to 0.070) 0.050 (0.040 to 0.070) 0.100"},
	} {
		if !strings.Contains(want.text, want.part) {
			t.Errorf("%s: no %q in\n%s", want.where, want.part, want.text)
		}
	}
}
