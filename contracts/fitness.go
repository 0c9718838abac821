package contracts

// Candidate is a set of tool descriptions to score against a golden set. Tools
// that it leaves out keep theirs.
type Candidate struct {
	ID           string            `json:"id"`
	Descriptions map[ToolID]string `json:"descriptions"`
}

// Fitness answers the candidate with the same ID. Metric names what Fitness
// is, on the train half. Feasible is false when the scanner finds something
// that it does not find in the original descriptions. Error means that the
// candidate could not be scored; everything else is then empty.
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
type SplitMetrics struct {
	Queries int              `json:"queries"`
	Metrics RetrievalMetrics `json:"metrics"`
}

// FitnessFinding is what the scanner holds against a new description.
type FitnessFinding struct {
	ToolID   ToolID   `json:"tool_id"`
	Severity string   `json:"severity"`
	Signals  []string `json:"signals"`
	Evidence string   `json:"evidence"`
}

// FitnessFeedback is a query of the train half whose best tool is not first:
// which tools stand before it, and on which words.
type FitnessFeedback struct {
	QueryID  string         `json:"query_id"`
	Query    string         `json:"query"`
	Expected []ExpectedTool `json:"expected"`
	Before   []Outranker    `json:"before"`
}

// ExpectedTool is a tool that the query asks for. Rank is 0 when it is not
// among the first ten.
type ExpectedTool struct {
	ToolID    ToolID `json:"tool_id"`
	Relevance int    `json:"relevance"`
	Rank      int    `json:"rank"`
}

// Outranker is a tool that stands before the best expected one. Terms are the
// words of the query that it holds, as the index has them (stemmed), those
// that fewest tools hold first.
type Outranker struct {
	ToolID ToolID        `json:"tool_id"`
	Rank   int           `json:"rank"`
	Terms  []MatchedTerm `json:"terms"`
}

// MatchedTerm is a word of a query: the fields in which the tool that stands
// before has it, those in which the expected tool has it, and in how many
// tools it stands at all.
type MatchedTerm struct {
	Term       string   `json:"term"`
	Fields     []string `json:"fields"`
	ExpectedIn []string `json:"expected_in"`
	Tools      int      `json:"tools"`
}
