// Package ranking scores ranked lists of tools by the labels of their queries.
// The stage that scores retrieval and the fitness of descriptions use the same
// rule.
package ranking

import (
	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/metrics"
)

// relevantFrom is the lowest relevance that counts as relevant.
const relevantFrom = 1

// Score computes the metrics of a ranked list of at most ten tools, best
// first.
func Score(labels []contracts.Label, ids []contracts.ToolID) contracts.RetrievalMetrics {
	topic := evaluate(labels, ids)
	values := make(contracts.RetrievalMetrics)
	for _, m := range metrics.Ranking() {
		values[m.Name] = m.Compute(topic)
	}
	return values
}

// Worst is the score of a query without an answer: the worst value of every
// metric.
func Worst() contracts.RetrievalMetrics {
	worst := make(contracts.RetrievalMetrics)
	for _, m := range metrics.Ranking() {
		worst[m.Name] = m.Worst()
	}
	return worst
}

// Topic evaluates a ranked list, best first, for measures at any depth.
func Topic(labels []contracts.Label, ranked []contracts.RankedTool) metrics.Topic {
	ids := make([]contracts.ToolID, len(ranked))
	for i, t := range ranked {
		ids[i] = t.ToolID
	}
	return evaluate(labels, ids)
}

func evaluate(labels []contracts.Label, ids []contracts.ToolID) metrics.Topic {
	judged := make(map[string]int, len(labels))
	for _, l := range labels {
		judged[l.ToolID] = l.Relevance
	}
	return metrics.EvaluateTopic(ids, judged, relevantFrom)
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
