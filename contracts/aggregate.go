package contracts

// Aggregate combines all runs, with their uncertainty, and compares them with
// the baseline if there is one for the same data.
type Aggregate struct {
	Data       DataIdentity `json:"data"`
	Validation Validation   `json:"validation"`
	Proxy      string       `json:"proxy"`
	// ProxyIdentity is the digest that build-proxy wrote.
	ProxyIdentity string `json:"proxy_identity"`
	SearchPath    string `json:"search_path"`
	// Degraded is copied from the retrieval reports.
	Degraded  string             `json:"degraded,omitempty"`
	Baseline  BaselineStatus     `json:"baseline"`
	Retrieval RetrievalAggregate `json:"retrieval"`
	Detectors []DetectorSummary  `json:"detectors"`
	// Mutations is absent if no detector was measured on rewritten entries.
	Mutations *MutationReport `json:"mutations,omitempty"`
	// Selection is absent when there were no cases, Similarity when tools were not
	// compared.
	Selection  *SelectionAggregate `json:"selection,omitempty"`
	Similarity *SimilarityReport   `json:"similarity,omitempty"`
}

// BaselineStatus reports whether the figures were compared with a baseline. If
// Comparable is false, Reason gives the cause and all comparisons are absent.
type BaselineStatus struct {
	Version    string `json:"version,omitempty"`
	Comparable bool   `json:"comparable"`
	Reason     string `json:"reason,omitempty"`
	// Data is absent if the baseline was made on the same data. Otherwise it
	// says what both have in common, also if that is nothing.
	Data *DataComparison `json:"data,omitempty"`
}

// RetrievalAggregate summarises score-retrieval over its runs. Anomalous
// queries were answered and scored, but part of the answer was dropped or cut.
type RetrievalAggregate struct {
	Runs      int `json:"runs"`
	Queries   int `json:"queries"`
	Errored   int `json:"errored"`
	Anomalous int `json:"anomalous,omitempty"`
	// JudgedAt10 is the share of the first ten results that have a label, over
	// the queries with a result and all runs. It is absent if there is no result,
	// and from files of earlier versions.
	JudgedAt10 *float64 `json:"judged_at_10,omitempty"`
	// TestShare is copied from the retrieval reports.
	TestShare float64 `json:"test_share,omitempty"`
	// Quarantine is copied from the retrieval reports.
	Quarantine []Quarantined `json:"quarantine,omitempty"`
	// Unverified is copied from the retrieval reports.
	Unverified string          `json:"unverified,omitempty"`
	Metrics    []MetricSummary `json:"metrics"`
	PerQuery   []QuerySummary  `json:"per_query"`
	// NoAnswer is absent if some tool serves every query.
	NoAnswer *NoAnswerSummary `json:"no_answer,omitempty"`
	// Cost is absent if a run lacks it or has no answer.
	Cost *CostSummary `json:"cost,omitempty"`
}

// NoAnswerSummary is about the unanswerable queries, over all runs.
// Metrics are those of metrics.NoAnswerMetrics that every run defines; they are
// not compared with the baseline. Their interval is that of the first run.
type NoAnswerSummary struct {
	Queries  int             `json:"queries"`
	Errored  int             `json:"errored"`
	Metrics  []MetricSummary `json:"metrics"`
	PerQuery []NoAnswerQuery `json:"per_query"`
}

// NoAnswerQuery is one unanswerable query: the ranked list of the first
// run, and the number of runs in which the list was empty or the query errored.
type NoAnswerQuery struct {
	ID          string       `json:"id"`
	Query       string       `json:"query"`
	Language    string       `json:"language,omitempty"`
	Tags        []string     `json:"tags,omitempty"`
	Ranked      []RankedTool `json:"ranked"`
	EmptyRuns   int          `json:"empty_runs"`
	ErroredRuns int          `json:"errored_runs"`
	Error       string       `json:"error,omitempty"`
}

// MetricSummary is one ranking metric over all runs. Interval is the 95%
// interval of the mean over queries, by the bootstrap or, near 0 and 1 and for
// few queries, by a score method. Spread is the standard deviation
// of the per-run means. Noise is the standard error of Mean that follows from
// the differences between the runs, 0 if they agree or there is only one.
type MetricSummary struct {
	Metric     string            `json:"metric"`
	Mean       float64           `json:"mean"`
	Spread     float64           `json:"spread"`
	Noise      float64           `json:"noise,omitempty"`
	Interval   Interval          `json:"interval"`
	PerRun     []float64         `json:"per_run"`
	Comparison *MetricComparison `json:"comparison,omitempty"`
}

// Interval is a 95% interval.
type Interval struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// MetricComparison compares a metric with the baseline, paired by query.
// DeltaInterval is the 95% score interval of the change. PValue is that of the
// two-sided paired randomization test, adjusted for all compared metrics
// (metrics.StepDown). Verdict is improved, regressed or within_noise, by PValue.
// MinDetectable is the smallest true change that gets a verdict with power .80 in
// a comparison like this one. It is absent if the metric did not change in any
// query, or if fewer than six groups of queries changed.
type MetricComparison struct {
	Baseline      float64  `json:"baseline"`
	Delta         float64  `json:"delta"`
	DeltaInterval Interval `json:"delta_interval"`
	PValue        float64  `json:"p_value"`
	MinDetectable *float64 `json:"min_detectable,omitempty"`
	Verdict       string   `json:"verdict"`
	// Queries and Mean are set if only a part of the queries is common to the
	// data and to those of the baseline. All figures of the comparison are then
	// over these Queries, and Mean is the metric over them with its interval.
	Queries      int       `json:"queries,omitempty"`
	Mean         *float64  `json:"mean,omitempty"`
	MeanInterval *Interval `json:"mean_interval,omitempty"`
}

// Verdicts of a comparison.
const (
	Improved    = "improved"
	Regressed   = "regressed"
	WithinNoise = "within_noise"
)

// QuerySummary is one query over all runs: the means of the metrics, the ranked
// list of the first run, the number of runs in which the query errored, and the
// anomalies of the first answer that could still be scored.
type QuerySummary struct {
	ID          string           `json:"id"`
	Query       string           `json:"query"`
	Language    string           `json:"language,omitempty"`
	Tags        []string         `json:"tags,omitempty"`
	Labels      []Label          `json:"labels"`
	Notes       string           `json:"notes,omitempty"`
	SharedWords *int             `json:"shared_words,omitempty"` // as in QueryResult
	Metrics     RetrievalMetrics `json:"metrics"`
	Ranked      []RankedTool     `json:"ranked"`
	ErroredRuns int              `json:"errored_runs"`
	Error       string           `json:"error,omitempty"`
	Anomalies   []string         `json:"anomalies,omitempty"`
}

// DetectorSummary is one detector over all runs. If all runs agree, Score holds
// the counts of the first run. Otherwise Unstable lists the entries on which
// runs disagree, and Score counts the verdict of the majority, which nothing is
// judged by: OverRuns has the means. A tie counts as
// errored if one of the tied verdicts is an error, and otherwise counts against
// the detector. Intervals are Wilson's, 95%.
type DetectorSummary struct {
	Score                   DetectorScore `json:"score"`
	Runs                    int           `json:"runs"`
	RecallInterval          *Interval     `json:"recall_interval,omitempty"`
	PrecisionInterval       *Interval     `json:"precision_interval,omitempty"`
	FPRInterval             *Interval     `json:"fpr_interval,omitempty"`
	FPRHardNegativeInterval *Interval     `json:"fpr_hard_negative_interval,omitempty"`
	FPRBenignInterval       *Interval     `json:"fpr_benign_interval,omitempty"`
	Unstable                []string      `json:"unstable"`
	// Shares has the share of the runs that flagged an entry, for entries on which
	// the runs disagree. A run that failed on an attack missed it, and one that
	// failed on a benign entry does not count.
	Shares map[string]float64 `json:"shares,omitempty"`
	// OverRuns holds each rate that every run defines, in the order of reports.
	// It is absent for one run.
	OverRuns []RateRuns     `json:"over_runs,omitempty"`
	PerEntry []EntrySummary `json:"per_entry"`
}

// RateRuns is a rate of a detector over its runs: the mean, the standard
// deviation of the runs, and the value of each.
type RateRuns struct {
	Rate   string    `json:"rate"`
	Mean   float64   `json:"mean"`
	Spread float64   `json:"spread"`
	PerRun []float64 `json:"per_run"`
}

// EntrySummary is one security entry with the detector's verdict in most runs.
// Text is the beginning of the entry, as in EntryResult.
// Technique and Carrier are those of an attack that the corpus describes.
// Error is that of the first run in which the detector failed on the entry,
// whatever its verdict in the other runs.
type EntrySummary struct {
	ID         string   `json:"id"`
	Label      string   `json:"label"`
	Category   string   `json:"category"`
	Text       string   `json:"text,omitempty"`
	Technique  string   `json:"technique,omitempty"`
	Carrier    string   `json:"carrier,omitempty"`
	Verdict    string   `json:"verdict"`
	Confidence float64  `json:"confidence"`
	Signals    []string `json:"signals"`
	Evidence   string   `json:"evidence,omitempty"`
	Error      string   `json:"error,omitempty"`
}
