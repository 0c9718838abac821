package compare

import (
	"slices"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/metrics"
)

// NoAnswer compares the unanswerable queries. Rates are those of the
// reports, over all their queries of this kind. Queries counts the queries that
// both reports have with the same text and that both answered; such an answer is
// empty if more than half of the runs gave an empty list. P is the p-value of
// McNemar's exact test on the changed queries.
type NoAnswer struct {
	Queries int             `json:"queries"`
	Rates   []NoAnswerRate  `json:"rates"`
	Changed []NoAnswerQuery `json:"changed"`
	P       float64         `json:"mcnemar_p"`
}

// NoAnswerRate is a metric of both sides, null if the side does not define it.
type NoAnswerRate struct {
	Metric string `json:"metric"`
	Rates
}

// NoAnswerQuery is a query that only one side leaves without a tool. Outcome is
// about B. A and B are the first tools, empty for an empty list.
type NoAnswerQuery struct {
	ID      string           `json:"id"`
	Query   string           `json:"query"`
	Outcome string           `json:"outcome"`
	A       contracts.ToolID `json:"a"`
	B       contracts.ToolID `json:"b"`
}

func (c *Comparison) compareNoAnswer(a, b *contracts.NoAnswerSummary) {
	if a == nil || b == nil {
		return
	}

	n := &NoAnswer{Rates: []NoAnswerRate{}, Changed: []NoAnswerQuery{}}
	for _, m := range metrics.NoAnswerMetrics() {
		r := NoAnswerRate{Metric: m.Name}
		r.A, r.AInterval = noAnswerRate(a, m.Name)
		r.B, r.BInterval = noAnswerRate(b, m.Name)
		if r.A != nil || r.B != nil {
			n.Rates = append(n.Rates, r)
		}
	}

	other := make(map[string]contracts.NoAnswerQuery, len(b.PerQuery))
	for _, q := range b.PerQuery {
		other[q.ID] = q
	}

	lost, won := 0, 0
	for _, was := range a.PerQuery {
		now, ok := other[was.ID]
		if !ok || was.Query != now.Query || was.ErroredRuns == c.A.Runs || now.ErroredRuns == c.B.Runs {
			continue
		}

		n.Queries++
		changed := NoAnswerQuery{ID: was.ID, Query: was.Query, A: firstTool(was), B: firstTool(now)}
		switch before, after := 2*was.EmptyRuns > c.A.Runs, 2*now.EmptyRuns > c.B.Runs; {
		case before && !after:
			lost++
			changed.Outcome = Loss
		case after && !before:
			won++
			changed.Outcome = Win
		default:
			continue
		}

		n.Changed = append(n.Changed, changed)
	}

	n.P = metrics.McNemar(lost, won)
	c.NoAnswer = n
}

func noAnswerRate(n *contracts.NoAnswerSummary, metric string) (*float64, *contracts.Interval) {
	i := slices.IndexFunc(n.Metrics, func(m contracts.MetricSummary) bool { return m.Metric == metric })
	if i < 0 {
		return nil, nil
	}
	m := n.Metrics[i]
	return &m.Mean, &m.Interval
}

func firstTool(q contracts.NoAnswerQuery) contracts.ToolID {
	if len(q.Ranked) == 0 {
		return ""
	}
	return q.Ranked[0].ToolID
}
