package contracts

// Gate is the verdict: every check with its value and bound, and every query
// and entry that changed.
type Gate struct {
	Passed bool `json:"passed"`
	// NoVerdict is set if nothing was judged. Passed is false then, and Checks
	// is empty.
	NoVerdict *NotJudged `json:"no_verdict,omitempty"`
	// Baseline is the version of the baseline, or empty without one.
	Baseline string `json:"baseline,omitempty"`
	// Data says on which part of the data the verdict rests. It is absent if the
	// baseline was made on the same data.
	Data     *DataComparison   `json:"data,omitempty"`
	Unfrozen []UnfrozenDataset `json:"unfrozen,omitempty"`
	// Split is that of the validation: the verdict of a quick run rests on a part of the queries.
	Split  string      `json:"split,omitempty"`
	Checks []GateCheck `json:"checks"`
	// Unjudged lists the metrics that cannot be compared with the baseline, and
	// the detectors without a threshold.
	Unjudged []UnjudgedMetric `json:"unjudged,omitempty"`
	// Warnings are sentences about checks that may fail by chance, and about
	// entries by which a detector got worse without failing.
	Warnings []string       `json:"warnings,omitempty"`
	Changes  []Change       `json:"changes"`
	Counts   map[string]int `json:"counts"`
}

// UnjudgedMetric is a metric that only the baseline or only the measurement
// has, or the recall of a detector without a threshold. State is new if the
// baseline lacks it, removed if it is no longer measured, and unjudged if a
// detector has no threshold. Value is the measured value or that of the
// baseline.
type UnjudgedMetric struct {
	Subject string  `json:"subject"`
	Metric  string  `json:"metric"`
	State   string  `json:"state"`
	Value   float64 `json:"value"`
	Note    string  `json:"note"`
}

// GateCheck is one judged figure. Subject is "retrieval" or the detector's
// name. Metric is what was judged. Rule is a sentence for people that gives the
// bound and its origin. Changed lists the ids in Changes that explain the result.
type GateCheck struct {
	Subject  string    `json:"subject"`
	Metric   string    `json:"metric"`
	Value    float64   `json:"value"`
	Interval *Interval `json:"interval,omitempty"`
	Bound    float64   `json:"bound"`
	// Comparison is ">=", ">", "<=" or "<". The check passes if it holds between
	// Value and Bound, and also if PValue is present and more than
	// significance.Level.
	Comparison string   `json:"comparison"`
	Rule       string   `json:"rule"`
	Passed     bool     `json:"passed"`
	Verdict    string   `json:"verdict,omitempty"`
	Changed    []string `json:"changed"`
	// PValue is present if the check fails only for a significant change: it is that
	// of the metric's comparison.
	PValue *float64 `json:"p_value,omitempty"`
	// MinDetectable is the smallest true change that the check finds with a
	// power .80. It is absent if the check does not judge a change.
	MinDetectable *float64 `json:"min_detectable,omitempty"`
}

// Change is one query or security entry that differs from the baseline. Subject
// is "retrieval" or the detector's name. For a query, Tool is the best relevant
// tool, RankBefore and RankAfter are its ranks (absent if it is not in the
// list), and ReplacedBy is the tool that now has its old rank. For an entry,
// Before and After are verdicts.
type Change struct {
	Subject    string `json:"subject"`
	ID         string `json:"id"`
	State      string `json:"state"`
	Title      string `json:"title,omitempty"`
	Category   string `json:"category,omitempty"`
	Tool       ToolID `json:"tool,omitempty"`
	RankBefore *int   `json:"rank_before,omitempty"`
	RankAfter  *int   `json:"rank_after,omitempty"`
	ReplacedBy ToolID `json:"replaced_by,omitempty"`
	Before     string `json:"before,omitempty"`
	After      string `json:"after,omitempty"`
	Error      string `json:"error,omitempty"`
}

// States of a change.
const (
	ChangeRegressed = "regressed"
	ChangeFixed     = "fixed"
	ChangeNew       = "new"
	ChangeRemoved   = "removed"
	ChangeErrored   = "errored"
	// ChangeEdited is the state of a query that is not the same as in the data of
	// the baseline, and of whose relevant tools one may not be.
	ChangeEdited = "edited"
)

// Unjudged is the state of a detector without a threshold.
const Unjudged = "unjudged"
