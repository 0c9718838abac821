package metrics

import "slices"

// CostFigure declares one figure of what discovery costs: what a model reads until
// it has its tools. As with ranking metrics, files, reports and the table in
// docs/reference/metrics.md follow from the table below. They have units, and
// only some are in 0..1.
type CostFigure struct {
	// Name is the name in files. Label is the name in reports.
	Name, Label string
	// HigherIsBetter is true for the break-even alone.
	HigherIsBetter bool
	// Decimals is the number of decimals in reports.
	Decimals int
	Shown    Place
	// Formula is printed in docs/reference/metrics.md.
	Formula string
}

// Names of the figures.
const (
	CostAnswerTokens    = "answer_tokens"
	CostRightToolTokens = "right_tool_tokens"
	CostOwnToolsTokens  = "own_tools_tokens"
	CostAllToolsTokens  = "all_tools_tokens"
	CostBreakEven       = "break_even_queries"
	CostAnswerBytes     = "answer_bytes"
	CostCalls           = "calls"
)

// costs is the table, in the order of reports.
var costs = []CostFigure{
	{
		Name: CostAnswerTokens, Label: "Tokens per answer", Shown: InTables,
		Formula: "tokens of the proxy's answer to a query, mean over the queries",
	},
	{
		Name: CostRightToolTokens, Label: "Tokens to find a right tool", Shown: InTables,
		Formula: "tokens of the answer if a right tool is among its first ten, otherwise these and the tokens of all " +
			"tools; mean over the queries",
	},
	{
		Name: CostOwnToolsTokens, Label: "Tokens of the proxy's tools", Shown: InTables,
		Formula: "tokens of the tools that the proxy itself offers over MCP",
	},
	{
		Name: CostAllToolsTokens, Label: "Tokens of all tools", Shown: InTables,
		Formula: "tokens of all tools of the corpus, as they would be offered without a search",
	},
	{
		Name: CostBreakEven, Label: "Break-even queries", HigherIsBetter: true, Decimals: 1, Shown: InTables,
		Formula: "(tokens of all tools - tokens of its own tools) / tokens per answer, at least 0",
	},
	{
		Name: CostAnswerBytes, Label: "Bytes per answer",
		Formula: "bytes of the proxy's answer to a query, mean over the queries",
	},
	{
		Name: CostCalls, Label: "Calls per query", Decimals: 2,
		Formula: "requests to the proxy until the list and the definition of the tool were complete, mean over the " +
			"queries",
	},
}

// CostFigures returns the declared figures, in the order of reports.
func CostFigures() []CostFigure { return slices.Clone(costs) }

// CostFigureByName returns the figure of that name. ok is false if there is none.
func CostFigureByName(name string) (f CostFigure, ok bool) {
	i := slices.IndexFunc(costs, func(f CostFigure) bool { return f.Name == name })
	if i < 0 {
		return CostFigure{}, false
	}
	return costs[i], true
}

// BreakEven is the number of queries up to which searching costs fewer tokens than
// all tools in the context: there the own tools of the proxy and the answers
// together cost as much as all tools. ok is false if an answer costs nothing.
func BreakEven(allTools, ownTools, perAnswer float64) (queries float64, ok bool) {
	if perAnswer <= 0 {
		return 0, false
	}
	return max(0, allTools-ownTools) / perAnswer, true
}
