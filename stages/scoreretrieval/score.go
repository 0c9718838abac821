package scoreretrieval

import (
	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/metrics"
)

// relevantFrom is the lowest relevance that counts as relevant.
const relevantFrom = 1

// score computes the metrics of one result. An errored query gets the worst
// value of every metric.
func score(r contracts.QueryResult) contracts.RetrievalMetrics {
	if r.Error != "" {
		worst := make(contracts.RetrievalMetrics)
		for _, m := range metrics.Ranking() {
			worst[m.Name] = m.Worst()
		}
		return worst
	}
	ids := make([]contracts.ToolID, len(r.Ranked))
	for i, t := range r.Ranked {
		ids[i] = t.ToolID
	}
	return Score(r.Labels, ids)
}

// Score computes the metrics of a ranked list of at most ten tools, best
// first.
func Score(labels []contracts.Label, ids []contracts.ToolID) contracts.RetrievalMetrics {
	judged := map[string]int{}
	for _, l := range labels {
		judged[l.ToolID] = l.Relevance
	}
	topic := metrics.EvaluateTopic(ids, judged, relevantFrom)
	values := make(contracts.RetrievalMetrics)
	for _, m := range metrics.Ranking() {
		values[m.Name] = m.Compute(topic)
	}
	return values
}

// mean averages over all results, in their order, including errored ones.
func mean(results []contracts.QueryResult) contracts.RetrievalMetrics {
	list := make([]contracts.RetrievalMetrics, len(results))
	for i, r := range results {
		list[i] = r.Metrics
	}
	return Mean(list)
}

// Mean averages the metrics of queries, in their order. There is at least one.
func Mean(queries []contracts.RetrievalMetrics) contracts.RetrievalMetrics {
	means := make(contracts.RetrievalMetrics)
	for _, name := range contracts.MetricNames {
		column := make([]float64, len(queries))
		for i, q := range queries {
			column[i] = q[name]
		}
		means[name] = metrics.Mean(column)
	}
	return means
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
