package aggregate

import (
	"math"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/metrics"
)

// summarizeNoAnswer combines the unanswerable queries. It returns nil if
// there are none. All runs have the same queries, sorted by id.
func summarizeNoAnswer(runs []retrievalRun) *contracts.NoAnswerSummary {
	first := runs[0].report.Unanswerable
	if len(first) == 0 {
		return nil
	}

	s := &contracts.NoAnswerSummary{Queries: len(first), Metrics: []contracts.MetricSummary{}}
	for i, q := range first {
		query := q.Summary()
		answered := false
		for _, run := range runs {
			result := run.report.Unanswerable[i]
			switch {
			case result.Error != "":
				query.ErroredRuns++
				if query.Error == "" {
					query.Error = result.Error
				}

				continue
			case len(result.Ranked) == 0:
				query.EmptyRuns++
			}

			if !answered {
				query.Ranked, answered = result.Ranked, true
			}
		}

		if query.ErroredRuns > 0 {
			s.Errored++
		}

		s.PerQuery = append(s.PerQuery, query)
	}

	figures := make([]metrics.NoAnswer, len(runs))
	for i, run := range runs {
		figures[i] = noAnswerOf(run.report)
	}

	for _, m := range metrics.NoAnswerMetrics() {
		perRun := make([]float64, 0, len(runs))
		var first metrics.Interval
		for i, f := range figures {
			value, interval, ok := m.Compute(f)
			if !ok {
				break
			}

			if i == 0 {
				first = interval
			}

			perRun = append(perRun, value)
		}

		if len(perRun) == len(runs) {
			s.Metrics = append(s.Metrics, contracts.MetricSummary{
				Metric: m.Name, Mean: mean(perRun), Spread: metrics.StdDev(perRun), Interval: interval(first),
				PerRun: perRun,
			})
		}
	}

	return s
}

// noAnswerOf returns what the metrics of unanswerable queries need from a
// run.
func noAnswerOf(r contracts.RetrievalReport) metrics.NoAnswer {
	n := metrics.NoAnswer{Queries: len(r.Unanswerable)}
	for _, q := range r.PerQuery {
		if q.Error == "" {
			n.Served = append(n.Served, best(q.Ranked))
		}
	}

	for _, q := range r.Unanswerable {
		if q.Error != "" {
			continue
		}

		n.Unserved = append(n.Unserved, best(q.Ranked))
		if len(q.Ranked) == 0 {
			n.Empty++
		}
	}

	return n
}

// best is the highest score of a list. A proxy's list need not be sorted by it.
func best(ranked []contracts.RankedTool) float64 {
	highest := math.Inf(-1)
	for _, t := range ranked {
		highest = max(highest, t.Score)
	}
	return highest
}

// judgedAt10 is the share of the first ten results with a label: the mean over
// the queries with a result, and over the runs. It is nil if no query has one.
func judgedAt10(runs []retrievalRun) *float64 {
	var shares []float64
	for _, run := range runs {
		for _, q := range run.report.PerQuery {
			list := q.Ranked[:min(10, len(q.Ranked))]
			if len(list) == 0 {
				continue
			}

			judged := 0
			for _, t := range list {
				if t.Relevance != nil {
					judged++
				}
			}

			shares = append(shares, float64(judged)/float64(len(list)))
		}
	}

	if len(shares) == 0 {
		return nil
	}

	m := metrics.Mean(shares)
	return &m
}
