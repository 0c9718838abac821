package render

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/report/wording"
)

// judged says how much of what the proxy found has a label, or "" if that is not
// known.
func judged(a *contracts.RetrievalAggregate) string {
	if a.JudgedAt10 == nil {
		return ""
	}
	return fmt.Sprintf("%s of the top 10 are labelled (Judged@10). Results without a label count as irrelevant.",
		wording.Percent(*a.JudgedAt10))
}

// noAnswerView shows the unanswerable queries.
type noAnswerView struct {
	Said    string
	Metrics []metricView
	Queries []noAnswerRow
}

type noAnswerRow struct{ ID, Text, First, Score string }

// maxNoAnswer limits the queries in the table of the page.
const maxNoAnswer = 500

func viewNoAnswer(n *contracts.NoAnswerSummary) *noAnswerView {
	if n == nil {
		return nil
	}

	v := &noAnswerView{Said: noAnswerText(n)}
	for _, m := range n.Metrics {
		mv := metricView{Name: wording.MetricName(m.Metric), Value: wording.Figure(m.Mean),
			Range: wording.Range(m.Interval)}
		pl := plot{Low: 0, High: 1, Value: &m.Mean, Interval: &m.Interval,
			Label: fmt.Sprintf("%s %s, 95%% interval %s", mv.Name, mv.Value, mv.Range)}
		if m.Spread > 0 {
			pl.Dots = m.PerRun
		}

		mv.Plot = pl.svg()
		v.Metrics = append(v.Metrics, mv)
	}

	queries := slices.Clone(n.PerQuery)
	slices.SortStableFunc(queries,
		func(a, b contracts.NoAnswerQuery) int { return cmp.Compare(firstScore(b), firstScore(a)) })
	for _, q := range queries[:min(maxNoAnswer, len(queries))] {
		row := noAnswerRow{ID: q.ID, Text: wording.Shorten(q.Query, 240), First: "empty"}
		switch {
		case q.Error != "" && len(q.Ranked) == 0:
			row.First = "error: " + wording.Shorten(q.Error, 120)
		case len(q.Ranked) > 0:
			row.First, row.Score = wording.Shorten(q.Ranked[0].ToolID, 120), wording.Figure(q.Ranked[0].Score)
		}

		v.Queries = append(v.Queries, row)
	}

	return v
}

func firstScore(q contracts.NoAnswerQuery) float64 {
	if len(q.Ranked) == 0 {
		return 0
	}
	return q.Ranked[0].Score
}

func noAnswerText(n *contracts.NoAnswerSummary) string {
	s := wording.CountOf(n.Queries, "No tool is right for 1 query. The other retrieval figures leave it out.",
		"No tool is right for %d queries. The other retrieval figures leave them out.")
	if n.Errored > 0 {
		s += fmt.Sprintf(" %d failed.", n.Errored)
	}
	return s
}

func markdownNoAnswer(r *contracts.Report) []string {
	n := r.Aggregate.Retrieval.NoAnswer
	if n == nil {
		return nil
	}
	rows := []string{"<details><summary>Unanswerable queries: " + fmt.Sprint(n.Queries) + "</summary>\n\n" +
		wording.TableHead([]string{"metric", "value", "95% interval"})}
	for _, m := range n.Metrics {
		rows = append(rows, fmt.Sprintf("| %s | %s | %s to %s |\n", mdMetric(m.Metric), wording.Figure(m.Mean),
			wording.Figure(m.Interval.Low), wording.Figure(m.Interval.High)))
	}
	return append(rows, "\n"+noAnswerText(n)+"\n</details>\n\n")
}
