package contracts

// Candidate is a set of tool descriptions to score against a golden set. Tools
// that it omits keep their descriptions. Queries are the ids of the queries to
// score it on, for a minibatch; without them it is scored on all queries of the
// train and validation parts.
type Candidate struct {
	ID           string            `json:"id"`
	Descriptions map[ToolID]string `json:"descriptions"`
	Queries      []string          `json:"queries,omitempty"`
}

// Parts of a golden set for an optimiser. It sees what a candidate does on the
// queries of train, with feedback, and on those of validation, as figures. It
// never sees the queries that are held out.
const (
	PartTrain      = "train"
	PartValidation = "validation"
	PartHeldOut    = "held_out"
)

// Fitness is the answer to the candidate with the same ID. Metric is the name
// of the metric that Fitness holds: over the selected queries if the candidate
// names some, otherwise over the train part, or over the validation part if the
// train part is empty. Feasible is false if the scanner reports a finding that
// it does not report for the original descriptions. Scores are in the order of
// the golden set. Error means that the candidate could not be scored. All other
// fields are then empty.
type Fitness struct {
	ID         string            `json:"id"`
	Error      string            `json:"error,omitempty"`
	Metric     string            `json:"metric,omitempty"`
	Fitness    float64           `json:"fitness"`
	Feasible   bool              `json:"feasible"`
	Selected   *SplitMetrics     `json:"selected,omitempty"`
	Train      *SplitMetrics     `json:"train,omitempty"`
	Validation *SplitMetrics     `json:"validation,omitempty"`
	HeldOut    *SplitMetrics     `json:"held_out,omitempty"`
	Findings   []FitnessFinding  `json:"findings,omitempty"`
	Scores     []QueryScore      `json:"scores,omitempty"`
	Feedback   []FitnessFeedback `json:"feedback,omitempty"`
}

// QueryScore is the metric of the fitness for one query of the train or the
// validation part. Rank is that of the best expected tool, 0 if it is not among
// the first ten. Ranked are the tools that the search found, at most ten, best
// first. Error says why the search has no answer; the query then has the worst
// score.
type QueryScore struct {
	QueryID string   `json:"query_id"`
	Part    string   `json:"part"`
	Score   float64  `json:"score"`
	Rank    int      `json:"rank"`
	Ranked  []ToolID `json:"ranked"`
	Error   string   `json:"error,omitempty"`
}

// SplitMetrics are the means over some queries of a golden set. Failed is the
// number of queries to which the search had no answer; they count as missed.
// Intervals are the 95% score intervals of the means. They are absent where
// candidates are scored in a loop.
type SplitMetrics struct {
	Queries   int              `json:"queries"`
	Failed    int              `json:"failed,omitempty"`
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

// FitnessFeedback is a query of the train part whose best tool is not ranked
// first. It lists the tools ranked above that tool and the words that they
// match. Missing are the words of the query that no field of the best expected
// tool contains. Text says the same in sentences, for a model that reflects.
type FitnessFeedback struct {
	QueryID  string         `json:"query_id"`
	Query    string         `json:"query"`
	Expected []ExpectedTool `json:"expected"`
	Before   []Outranker    `json:"before"`
	Missing  []string       `json:"missing"`
	Text     string         `json:"text"`
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
