package contracts

// Gate is the verdict: every check with its value and bound, and every query
// and entry that moved.
type Gate struct {
	Passed   bool        `json:"passed"`
	Baseline string      `json:"baseline"`
	Checks   []GateCheck `json:"checks"`
	// Unjudged lists the metrics that have no counterpart to compare with.
	Unjudged []UnjudgedMetric `json:"unjudged,omitempty"`
	Moves    []Move           `json:"moves"`
	Counts   map[string]int   `json:"counts"`
}

// UnjudgedMetric is a metric that stands on one side only. State is new where
// the baseline does not have it, and removed where it is no longer measured.
// Value is what was measured, or what the baseline has.
type UnjudgedMetric struct {
	Subject string  `json:"subject"`
	Metric  string  `json:"metric"`
	State   string  `json:"state"`
	Value   float64 `json:"value"`
	Note    string  `json:"note"`
}

// GateCheck is one judged figure. Subject is "retrieval" or the detector's
// name, Metric what was judged. Rule is the sentence that a person reads:
// which bound, where it comes from. Moved lists ids in Moves that explain it.
type GateCheck struct {
	Subject  string    `json:"subject"`
	Metric   string    `json:"metric"`
	Value    float64   `json:"value"`
	Interval *Interval `json:"interval,omitempty"`
	Bound    float64   `json:"bound"`
	// Comparison is ">=" or "<=": Value has to stand so to Bound.
	Comparison string   `json:"comparison"`
	Rule       string   `json:"rule"`
	Passed     bool     `json:"passed"`
	Verdict    string   `json:"verdict,omitempty"`
	Moved      []string `json:"moved"`
}

// Move is one query or security entry that is not as the baseline has it.
// Subject is "retrieval" or the detector's name. For a query, RankBefore and
// RankAfter are the rank of the best relevant tool (absent: not in the list),
// Tool is that tool and DisplacedBy the tool that now stands where it stood.
// For an entry, Before and After are verdicts.
type Move struct {
	Subject     string `json:"subject"`
	ID          string `json:"id"`
	State       string `json:"state"`
	Title       string `json:"title,omitempty"`
	Category    string `json:"category,omitempty"`
	Tool        ToolID `json:"tool,omitempty"`
	RankBefore  *int   `json:"rank_before,omitempty"`
	RankAfter   *int   `json:"rank_after,omitempty"`
	DisplacedBy ToolID `json:"displaced_by,omitempty"`
	Before      string `json:"before,omitempty"`
	After       string `json:"after,omitempty"`
	Error       string `json:"error,omitempty"`
}

// States of a move.
const (
	MoveRegressed = "regressed"
	MoveFixed     = "fixed"
	MoveNew       = "new"
	MoveRemoved   = "removed"
	MoveErrored   = "errored"
)
