package metrics

import "slices"

// RankingMetric declares one ranking metric. The table below is the only place
// that names a metric: file formats, scores, means, tests against the baseline,
// thresholds, reports, TREC names and the table in docs/reference/metrics.md follow from
// it. docs/contributing/add-a-metric.md describes how to add one.
type RankingMetric struct {
	// Name is the name in files, thresholds and flags: lower case, digits and
	// underscores. Baselines refer to it, so its meaning must never change.
	Name string
	// Label is the name in reports.
	Label string
	// Compute returns the value of one topic, in 0..1.
	Compute func(Topic) float64
	// LowerIsBetter is set if a smaller value is better.
	LowerIsBetter bool
	// Gated metrics get a threshold in a first baseline. The thresholds of an
	// existing baseline never change by themselves.
	Gated bool
	// Shown is where reports print the metric. report.json has every metric.
	Shown Place
	// TREC is trec_eval's name, such as recall_5, or empty if it has none.
	TREC string
	// Formula and Source are printed in docs/reference/metrics.md.
	Formula, Source string
}

// Place is a set of places where a metric is shown.
type Place uint

// Places where a metric can be shown.
const (
	// InSummary is the line that score-retrieval logs after a run.
	InSummary Place = 1 << iota
	// InTables covers the tables of report.md, baseline show and fitness.
	InTables
	// OnPage covers the figures with their plots in report.html.
	OnPage
	// PerQuery covers the details of one query in report.html.
	PerQuery

	inReports = InTables | OnPage | PerQuery
)

// trecEval is the source of the measures that trec_eval also computes.
const trecEval = "trec_eval 9.0.7"

// ranking is the table, in the order of reports.
var ranking = []RankingMetric{
	{
		Name: "recall_at_1", Label: "Recall@1", TREC: "recall_1", Shown: inReports,
		Compute: func(t Topic) float64 { return t.Recall(1) },
		Formula: "relevant tools among the first 1, over R", Source: trecEval,
	},
	{
		Name: "recall_at_3", Label: "Recall@3", TREC: "recall_3", Shown: inReports,
		Compute: func(t Topic) float64 { return t.Recall(3) },
		Formula: "relevant tools among the first 3, over R", Source: trecEval,
	},
	{
		Name: "recall_at_5", Label: "Recall@5", TREC: "recall_5", Shown: inReports | InSummary, Gated: true,
		Compute: func(t Topic) float64 { return t.Recall(5) },
		Formula: "relevant tools among the first 5, over R", Source: trecEval,
	},
	{
		Name: "recall_at_10", Label: "Recall@10", TREC: "recall_10", Shown: inReports,
		Compute: func(t Topic) float64 { return t.Recall(10) },
		Formula: "relevant tools among the first 10, over R", Source: trecEval,
	},
	{
		Name: "mrr", Label: "MRR", TREC: "recip_rank", Shown: inReports | InSummary, Gated: true,
		Compute: Topic.ReciprocalRank,
		Formula: "1 / rank of the first relevant tool, 0 if there is none", Source: trecEval,
	},
	{
		Name: "ndcg_at_10", Label: "nDCG@10", TREC: "ndcg_cut_10", Shown: inReports, Gated: true,
		Compute: func(t Topic) float64 { return t.NDCG(10) },
		Formula: "DCG / ideal DCG, with DCG = sum over r <= 10 of rel(r) / log2(r + 1)",
		Source:  "Järvelin and Kekäläinen, ACM TOIS 20(4), 2002; " + trecEval,
	},
	{
		Name: "map", Label: "MAP", TREC: "map", Shown: inReports,
		Compute: Topic.AveragePrecision,
		Formula: "sum over relevant tools in the list of (relevant so far / rank), over R", Source: trecEval,
	},
}

// Ranking returns the declared ranking metrics in the order of reports.
func Ranking() []RankingMetric { return slices.Clone(ranking) }

// RankingByName returns the metric of that name. ok is false if there is none.
func RankingByName(name string) (m RankingMetric, ok bool) {
	i := slices.IndexFunc(ranking, func(m RankingMetric) bool { return m.Name == name })
	if i < 0 {
		return RankingMetric{}, false
	}
	return ranking[i], true
}

// Worst is the value of a topic whose query failed.
func (m RankingMetric) Worst() float64 {
	if m.LowerIsBetter {
		return 1
	}
	return 0
}

// Gain is the improvement from before to after in the named metric: positive
// for an improvement, whatever the direction of the metric. For a metric that
// is not declared, a larger value counts as better.
func Gain(name string, before, after float64) float64 {
	if m, _ := RankingByName(name); m.LowerIsBetter {
		return before - after
	}
	return after - before
}
