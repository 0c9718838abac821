package render

import (
	"strings"
	"testing"

	"github.com/touchstone-eval/touchstone/contracts"
)

func TestNoAnswer(t *testing.T) {
	r := contracts.Report{}
	if viewNoAnswer(nil) != nil || len(markdownNoAnswer(&r)) > 0 || judged(&r.Aggregate.Retrieval) != "" {
		t.Error("something is said about no queries")
	}
	share := 0.25
	r.Aggregate.Retrieval.JudgedAt10 = &share
	r.Aggregate.Retrieval.NoAnswer = &contracts.NoAnswerSummary{Queries: 3, Errored: 1,
		Metrics: []contracts.MetricSummary{{Metric: "no_answer_empty", Mean: 1. / 3, Interval: contracts.Interval{Low: 0.1, High: 0.7}, PerRun: []float64{1. / 3}}},
		PerQuery: []contracts.NoAnswerQuery{
			{ID: "n1", Query: "fly to the moon", EmptyRuns: 1},
			{ID: "n2", Query: "<b>paint</b>", Ranked: []contracts.RankedTool{{Rank: 1, ToolID: "shelf:paint", Score: 1.5}}},
			{ID: "n3", Query: "sleep", ErroredRuns: 1, Error: "too tired"},
		}}
	v := viewNoAnswer(r.Aggregate.Retrieval.NoAnswer)
	if v.Queries[0] != (noAnswerRow{"n2", "<b>paint</b>", "shelf:paint", "1.500"}) || v.Queries[1].First != "empty" || v.Queries[2].First != "error: too tired" {
		t.Errorf("%+v", v.Queries)
	}
	text := string(Markdown(r))
	for _, want := range []string{"Unanswerable queries: 3", "| Empty answers | 0.333 | 0.100 to 0.700 |", "1 failed."} {
		if !strings.Contains(text, want) {
			t.Errorf("report.md lacks %q:\n%s", want, text)
		}
	}
	page, err := HTML(r)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`id="no-answer"`, "&lt;b&gt;paint&lt;/b&gt;", "Empty answers"} {
		if !strings.Contains(string(page), want) {
			t.Errorf("report.html lacks %q", want)
		}
	}
}
