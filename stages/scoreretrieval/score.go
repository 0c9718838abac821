package scoreretrieval

import (
	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/report/ranking"
)

// score computes the metrics of one result. An errored query gets the worst
// value of every metric.
func score(r contracts.QueryResult) contracts.RetrievalMetrics {
	if r.Error != "" {
		return ranking.Worst()
	}

	ids := make([]contracts.ToolID, len(r.Ranked))
	for i, t := range r.Ranked {
		ids[i] = t.ToolID
	}

	return ranking.Score(r.Labels, ids)
}

// mean averages over all results, in their order, including errored ones.
func mean(results []contracts.QueryResult) contracts.RetrievalMetrics {
	list := make([]contracts.RetrievalMetrics, len(results))
	for i, r := range results {
		list[i] = r.Metrics
	}
	return ranking.Mean(list)
}

func errored(results []contracts.QueryResult) int {
	n := 0
	for _, r := range results {
		if r.Error != "" {
			n++
		}
	}
	return n
}
