package main

import (
	"fmt"
	"math"
	"slices"

	"github.com/touchstone-eval/touchstone/contracts"
)

// figures returns the seven figures of one query, computed from its list and its labels
// without package metrics. Each is implemented as defined, without regard to speed.
func figures(q contracts.QueryResult) map[string]float64 {
	grade := map[contracts.ToolID]int{}
	relevant := 0
	var gains []int
	for _, l := range q.Labels {
		grade[l.ToolID] = l.Relevance
		gains = append(gains, l.Relevance)
		if l.Relevance > 0 {
			relevant++
		}
	}

	out := map[string]float64{}
	for _, k := range []int{1, 3, 5, 10} {
		found := 0
		for _, r := range q.Ranked {
			if r.Rank <= k && grade[r.ToolID] > 0 {
				found++
			}
		}

		out[fmt.Sprint("recall_at_", k)] = float64(found) / float64(relevant)
	}

	for rank := len(q.Ranked); rank >= 1; rank-- {
		if grade[q.Ranked[rank-1].ToolID] > 0 {
			out["mrr"] = 1 / float64(rank)
		}
	}

	for rank := range q.Ranked {
		if grade[q.Ranked[rank].ToolID] == 0 {
			continue
		}

		upTo := 0
		for _, r := range q.Ranked[:rank+1] {
			if grade[r.ToolID] > 0 {
				upTo++
			}
		}

		out["map"] += float64(upTo) / float64(rank+1) / float64(relevant)
	}

	slices.Sort(gains)
	slices.Reverse(gains)
	var got, best float64
	for i := range 10 {
		discount := math.Log(2) / math.Log(float64(i+2))
		if i < len(q.Ranked) {
			got += float64(grade[q.Ranked[i].ToolID]) * discount
		}

		if i < len(gains) {
			best += float64(gains[i]) * discount
		}
	}

	out["ndcg_at_10"] = got / best
	return out
}

// disagreement returns the largest difference between the means in the report and those
// of figures.
func disagreement(report contracts.RetrievalReport) float64 {
	sum := map[string]float64{}
	for _, q := range report.PerQuery {
		for name, v := range figures(q) {
			sum[name] += v
		}
	}

	worst := 0.0
	for _, name := range contracts.MetricNames {
		v := report.Metrics[name]
		worst = math.Max(worst, math.Abs(v-sum[name]/float64(len(report.PerQuery))))
	}

	return worst
}

// otherLists returns the queries whose lists differ.
func otherLists(a, b contracts.RetrievalReport) (ids []string) {
	for i, q := range a.PerQuery {
		same := slices.EqualFunc(q.Ranked, b.PerQuery[i].Ranked,
			func(x, y contracts.RankedTool) bool { return x.ToolID == y.ToolID })
		if !same {
			ids = append(ids, q.ID)
		}
	}
	return ids
}

// describeMoves prints each query with a figure that differs, with the ranks of its
// relevant tools.
func describeMoves(a, b contracts.RetrievalReport) {
	ranks := func(q contracts.QueryResult) (text string) {
		for _, r := range q.Ranked {
			if r.Relevance != nil && *r.Relevance > 0 {
				text += fmt.Sprintf(" %d:%s", r.Rank, r.ToolID)
			}
		}

		return text
	}
	for i, q := range a.PerQuery {
		other := b.PerQuery[i]
		x, y := figures(q), figures(other)
		differs := false
		for _, name := range contracts.MetricNames {
			differs = differs || math.Abs(x[name]-y[name]) > 1e-12
		}

		if differs {
			fmt.Printf("  %s:%s; then%s\n", q.ID, ranks(q), ranks(other))
		}
	}
}
