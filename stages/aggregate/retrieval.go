package aggregate

import (
	"slices"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/report/significance"
	"github.com/touchstone-eval/touchstone/metrics"
	"github.com/touchstone-eval/touchstone/stages/internal/overlap"
)

// retrieval holds the combined runs of score-retrieval: for each query, in the
// order of ids, its means over the runs.
type retrieval struct {
	runs    []retrievalRun
	queries []contracts.QuerySummary
	// groups holds the group of each query, as Groups finds it. The queries of a
	// group are drawn and exchanged together.
	groups []string
}

func newRetrieval(runs []retrievalRun) *retrieval {
	r := &retrieval{runs: runs}
	for i := range runs[0].report.PerQuery {
		r.queries = append(r.queries, summarizeQuery(runs, i))
	}
	r.groups = significance.Groups(r.queries)
	return r
}

// summarizeQuery combines query i of all runs. A run in which it errored counts
// with its worst values. The ranked list is that of the first run that has an
// answer.
func summarizeQuery(runs []retrievalRun, i int) contracts.QuerySummary {
	first := runs[0].report.PerQuery[i]
	q := first.Summary()
	q.Metrics = make(contracts.RetrievalMetrics)
	answered := false
	for _, run := range runs {
		result := run.report.PerQuery[i]
		if result.Error != "" {
			q.ErroredRuns++
			if q.Error == "" {
				q.Error = result.Error
			}
		} else if !answered {
			q.Ranked, answered = result.Ranked, true
		}

		if len(q.Anomalies) == 0 {
			q.Anomalies = result.Anomalies
		}
	}

	for _, name := range contracts.MetricNames {
		perRun := make([]float64, len(runs))
		for r, run := range runs {
			perRun[r] = run.report.PerQuery[i].Metrics[name]
		}

		q.Metrics[name] = mean(perRun)
	}

	return q
}

// mean returns equal values unchanged: dividing their sum may change the last
// bit.
func mean(values []float64) float64 {
	if slices.Min(values) == slices.Max(values) {
		return values[0]
	}
	return metrics.Mean(values)
}

// common returns the places of the queries of the common part, and their groups.
func (r *retrieval) common(part overlap.Part) (places []int, groups []string) {
	for i, q := range r.queries {
		if part.Query(q.ID) {
			places, groups = append(places, i), append(groups, r.groups[i])
		}
	}
	return places, groups
}

// summary computes the figures. With a baseline it also compares each metric
// over the common part of the queries.
func (r *retrieval) summary(baseline *contracts.Baseline, part overlap.Part) contracts.RetrievalAggregate {
	agg := contracts.RetrievalAggregate{Runs: len(r.runs), Queries: len(r.queries), PerQuery: r.queries,
		JudgedAt10: judgedAt10(r.runs), TestShare: r.runs[0].report.TestShare,
		Quarantine: r.runs[0].report.Quarantine, Unverified: r.runs[0].report.Unverified,
		NoAnswer: summarizeNoAnswer(r.runs)}
	for _, q := range r.queries {
		if q.ErroredRuns > 0 {
			agg.Errored++
		}

		if len(q.Anomalies) > 0 {
			agg.Anomalous++
		}
	}

	columns := make([][]float64, len(contracts.MetricNames))
	for m, name := range contracts.MetricNames {
		columns[m] = valuesOf(r.queries, name)
	}

	intervals := metrics.MeanIntervals(columns, r.groups)
	for m, name := range contracts.MetricNames {
		perRun := make([]float64, len(r.runs))
		for i, run := range r.runs {
			perRun[i] = metrics.Mean(values(run.report.PerQuery, name))
		}

		agg.Metrics = append(agg.Metrics, contracts.MetricSummary{
			Metric: name, Mean: metrics.Mean(columns[m]), Spread: metrics.StdDev(perRun),
			Interval: interval(intervals[m]), PerRun: perRun, Noise: r.noise(name, perRun),
		})
	}

	if baseline != nil {
		r.compare(agg.Metrics, columns, *baseline, part)
	}

	if part.Data != nil {
		baseline = nil // its costs are of other queries
	}

	agg.Cost = r.summarizeCost(baseline)

	return agg
}

func interval(i metrics.Interval) contracts.Interval {
	return contracts.Interval{Low: i.Low, High: i.High}
}

func values(queries []contracts.QueryResult, metric string) []float64 {
	list := make([]float64, len(queries))
	for i, q := range queries {
		list[i] = q.Metrics[metric]
	}
	return list
}

func valuesOf(queries []contracts.QuerySummary, metric string) []float64 {
	list := make([]float64, len(queries))
	for i, q := range queries {
		list[i] = q.Metrics[metric]
	}
	return list
}
