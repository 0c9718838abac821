package render

import (
	"strings"
	"testing"

	"github.com/touchstone-eval/touchstone/contracts"
)

func TestSelectionIsShown(t *testing.T) {
	r := sampleReport(t, 5)
	r.Gate.Checks = append(r.Gate.Checks, contracts.GateCheck{Subject: "replay/test/model", Metric: "accuracy", Value: 0.05, Bound: 0.5, Comparison: ">="})
	page, err := HTML(r)
	if err != nil {
		t.Fatal(err)
	}
	text := string(page)
	for _, want := range []string{
		"Tool selection", "a baseline without a model, which matches words; 3 repeats: TP 40, FP 10, TN 20, FN 64, 1 failed", "recorded answers; 3 repeats",
		`<div class="fail"><dt>Accuracy</dt><dd><b>0.050</b> <small>0.040 to 0.070, 6 of 120</small></dd>`, "<dt>Confidently wrong</dt><dd><b>–</b> <small>not defined</small>",
		"pass@3 0.650, pass^3 0.350", "Consistency 0.875", "Parameter correctness 0.750 (0.700 to 0.800)", "Against the baseline: 1 lost, 0 gained ~ (McNemar p 1.000)",
		"the first 10 tools that the search of reference finds", "Worst cases of replay/test/model", "10 more cases are not shown: report.json has them.", "Not on offer: git:close.",
		"0 of 0, 3 failed", "Similar tools", "70 pairs with a word similarity of at least 0.400", "50 more pairs are not shown: report.json lists 30.", "git:close, git:open",
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
	for _, want := range []string{`<testsuite name="selection" tests="2" failures="0" errors="0">`, `classname="selection" name="lexical/bm25"`, "A baseline without a model, which matches words.", "Accuracy 0.050 (0.040 to 0.070), 6 of 120", "c020 (1 of 3 right): git:close expected, git:open called: request"} {
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
