package contracts

// QueryCost is what a model reads and sends for one query. It covers all requests: those
// for the list, and that for the definition of the tool, if the list does not have it.
type QueryCost struct {
	Calls int `json:"calls"`
	// Bytes and Tokens are of the answer as a client receives it: the text of
	// an MCP result, or the body of a REST answer.
	Bytes  int `json:"bytes"`
	Tokens int `json:"tokens"`
	// TokensThrough has, for each place of the ranked list, the tokens of the
	// answer from its start to the end of that result. It is absent if the list
	// is empty, or if the answer does not show where each result ends.
	TokensThrough []int `json:"tokens_through,omitempty"`
}

// OfferedTools is the size of tool definitions in a model's context: name,
// description and input schema in JSON.
type OfferedTools struct {
	Tools  int `json:"tools"`
	Bytes  int `json:"bytes"`
	Tokens int `json:"tokens"`
}

// RunCost is what a run knows of the cost of discovery besides that of each query.
// OwnTools are the tools that the proxy itself offers, and absent over REST.
// AllTools are those of the corpus. Tokenizer names the encoding of all tokens.
type RunCost struct {
	Tokenizer string        `json:"tokenizer"`
	OwnTools  *OfferedTools `json:"own_tools,omitempty"`
	AllTools  OfferedTools  `json:"all_tools"`
}

// CostSummary is the cost of discovery over all runs. Queries is the number of
// queries that every run answered with at most 4 MiB: the others are in no figure. Baseline has the
// curve of the baseline, if that was compared and has one.
type CostSummary struct {
	Tokenizer string          `json:"tokenizer"`
	Queries   int             `json:"queries"`
	Figures   []CostFigure    `json:"figures"`
	Curve     []CostCurveStep `json:"curve"`
	Baseline  []CostCurveStep `json:"baseline_curve,omitempty"`
}

// CostFigure is one figure of metrics.CostFigures over all runs. Interval is the
// 95% interval over the queries, by the bootstrap, and absent from a figure that
// is the same for all queries. Baseline is absent if the baseline was not
// compared or lacks the figure.
type CostFigure struct {
	Figure   string    `json:"figure"`
	Mean     float64   `json:"mean"`
	Spread   float64   `json:"spread"`
	Interval *Interval `json:"interval,omitempty"`
	PerRun   []float64 `json:"per_run"`
	Baseline *float64  `json:"baseline,omitempty"`
}

// CostCurveStep is one step of recall against tokens: the mean tokens of the first
// K results, and the mean recall at K.
type CostCurveStep struct {
	K      int     `json:"k"`
	Tokens float64 `json:"tokens"`
	Recall float64 `json:"recall"`
}

// BaselineCost holds the means of the figures by name, and the curve.
type BaselineCost struct {
	Tokenizer string             `json:"tokenizer"`
	Figures   map[string]float64 `json:"figures"`
	Curve     []CostCurveStep    `json:"curve"`
}

// FigureByName returns the figure of that name. ok is false if c is nil or lacks it.
func (c *CostSummary) FigureByName(name string) (f CostFigure, ok bool) {
	if c == nil {
		return CostFigure{}, false
	}
	for _, f := range c.Figures {
		if f.Figure == name {
			return f, true
		}
	}
	return CostFigure{}, false
}
