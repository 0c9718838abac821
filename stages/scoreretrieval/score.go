package scoreretrieval

import (
	"strconv"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/metrics"
)

// cutOffs are the ranks at which recall is taken.
var cutOffs = []int{1, 3, 5, 10}

// relevantFrom is the lowest relevance that counts as relevant.
const relevantFrom = 1

// score computes the metrics of one result. One that errored has none of its
// relevant tools, and so 0 everywhere.
func score(r contracts.QueryResult) contracts.RetrievalMetrics {
	var ids []string
	if r.Error == "" {
		for _, t := range r.Ranked {
			ids = append(ids, t.ToolID)
		}
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
	m := contracts.RetrievalMetrics{
		RecallAt: map[string]float64{},
		MRR:      topic.ReciprocalRank(),
		NDCGAt10: topic.NDCG(10),
		MAP:      topic.AveragePrecision(),
	}
	for _, k := range cutOffs {
		m.RecallAt[strconv.Itoa(k)] = topic.Recall(k)
	}
	return m
}

// mean averages over all results, in their order; those that errored count.
func mean(results []contracts.QueryResult) contracts.RetrievalMetrics {
	list := make([]contracts.RetrievalMetrics, len(results))
	for i, r := range results {
		list[i] = r.Metrics
	}
	return Mean(list)
}

// Mean averages the metrics of queries, in their order. There is at least one.
func Mean(queries []contracts.RetrievalMetrics) contracts.RetrievalMetrics {
	n := float64(len(queries))
	sum := contracts.RetrievalMetrics{RecallAt: map[string]float64{}}
	for _, m := range queries {
		sum.MRR += m.MRR
		sum.NDCGAt10 += m.NDCGAt10
		sum.MAP += m.MAP
		for k, v := range m.RecallAt {
			sum.RecallAt[k] += v
		}
	}
	sum.MRR /= n
	sum.NDCGAt10 /= n
	sum.MAP /= n
	for k := range sum.RecallAt {
		sum.RecallAt[k] /= n
	}
	return sum
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
