package contracts

// Candidate is a set of tool descriptions to score against a golden set. Tools
// that it omits keep their descriptions.
type Candidate struct {
	ID           string            `json:"id"`
	Descriptions map[ToolID]string `json:"descriptions"`
}

// Fitness is the answer to the candidate with the same ID. Metric is the name
// of the metric that Fitness holds, measured on the train half. Feasible is
// false if the scanner reports a finding that it does not report for the
// original descriptions. Error means that the candidate could not be scored.
// All other fields are then empty.
type Fitness struct {
	ID       string            `json:"id"`
	Error    string            `json:"error,omitempty"`
	Metric   string            `json:"metric,omitempty"`
	Fitness  float64           `json:"fitness"`
	Feasible bool              `json:"feasible"`
	Train    *SplitMetrics     `json:"train,omitempty"`
	HeldOut  *SplitMetrics     `json:"held_out,omitempty"`
	Findings []FitnessFinding  `json:"findings,omitempty"`
	Feedback []FitnessFeedback `json:"feedback,omitempty"`
}

// SplitMetrics are the means over the queries of one half of a golden set.
// Intervals are the 95% score intervals of the means. They are absent where
// candidates are scored in a loop.
type SplitMetrics struct {
	Queries   int              `json:"queries"`
	Metrics   RetrievalMetrics `json:"metrics"`
	Intervals []MetricInterval `json:"intervals,omitempty"`
}

// MetricInterval is the 95% interval of one metric.
type MetricInterval struct {
	Metric string  `json:"metric"`
	Low    float64 `json:"low"`
	High   float64 `json:"high"`
}

// FitnessFinding is a scanner finding in a new description.
type FitnessFinding struct {
	ToolID   ToolID   `json:"tool_id"`
	Severity string   `json:"severity"`
	Signals  []string `json:"signals"`
	Evidence string   `json:"evidence"`
}

// FitnessFeedback is a query of the train half whose best tool is not ranked
// first. It lists the tools ranked above that tool and the words that they
// match.
type FitnessFeedback struct {
	QueryID  string         `json:"query_id"`
	Query    string         `json:"query"`
	Expected []ExpectedTool `json:"expected"`
	Before   []Outranker    `json:"before"`
}

// ExpectedTool is a relevant tool of the query. Rank is 0 if the tool is not
// among the first ten.
type ExpectedTool struct {
	ToolID    ToolID `json:"tool_id"`
	Relevance int    `json:"relevance"`
	Rank      int    `json:"rank"`
}

// Outranker is a tool ranked above the best expected tool. Terms are the query
// words that it contains, as the index stems them, ordered by the number of
// tools that contain them, fewest first.
type Outranker struct {
	ToolID ToolID        `json:"tool_id"`
	Rank   int           `json:"rank"`
	Terms  []MatchedTerm `json:"terms"`
}

// MatchedTerm is a word of a query: the fields of the outranking tool that
// contain it, the fields of the expected tool that contain it, and the number
// of tools that contain it.
type MatchedTerm struct {
	Term       string   `json:"term"`
	Fields     []string `json:"fields"`
	ExpectedIn []string `json:"expected_in"`
	Tools      int      `json:"tools"`
}
