package aggregate

import (
	"slices"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/report/ranking"
	"github.com/touchstone-eval/touchstone/internal/report/significance"
	"github.com/touchstone-eval/touchstone/metrics"
)

// summarizeCost combines what discovery costs over the queries that every run
// answered. It returns nil if a run does not say, as in files of earlier versions, or
// if there is no such query. baseline is nil if there is none to compare with on the
// same queries.
func (r *retrieval) summarizeCost(baseline *contracts.Baseline) *contracts.CostSummary {
	places := r.withCost()
	if len(places) == 0 {
		return nil
	}

	answers := newCostTable(r.runs, places)
	queries := make([]contracts.QuerySummary, len(places))
	for i, place := range places {
		queries[i] = r.queries[place]
	}

	intervals := metrics.BootstrapMeans(answers.columns(), significance.Groups(queries))
	s := &contracts.CostSummary{Tokenizer: r.runs[0].report.Cost.Tokenizer, Queries: len(places),
		Curve: r.costCurve(places)}
	for i, name := range perAnswer {
		perRun := answers.perRun(i)
		s.Figures = append(s.Figures, contracts.CostFigure{Figure: name, Mean: mean(perRun),
			Spread: metrics.StdDev(perRun), Interval: new(interval(intervals[i])), PerRun: perRun})
	}

	s.Figures = append(s.Figures, r.toolCosts()...)
	if even, ok := breakEven(s); ok {
		s.Figures = append(s.Figures, even)
	}

	inOrderOfReports(s.Figures)
	if baseline != nil && baseline.Cost != nil && baseline.Cost.Tokenizer == s.Tokenizer {
		s.Baseline = baseline.Cost.Curve
		for i := range s.Figures {
			if was, ok := baseline.Cost.Figures[s.Figures[i].Figure]; ok {
				s.Figures[i].Baseline = &was
			}
		}
	}

	return s
}

// withCost lists the places of the queries that every run answered and counted.
func (r *retrieval) withCost() []int {
	for _, run := range r.runs {
		if run.report.Cost == nil || run.report.Cost.Tokenizer != r.runs[0].report.Cost.Tokenizer {
			return nil
		}
	}

	var places []int
	for i := range r.queries {
		if !slices.ContainsFunc(r.runs, func(run retrievalRun) bool {
			q := run.report.PerQuery[i]
			return q.Error != "" || q.Cost == nil
		}) {
			places = append(places, i)
		}
	}

	return places
}

// perAnswer are the figures that each query has.
var perAnswer = []string{metrics.CostAnswerTokens, metrics.CostRightToolTokens, metrics.CostAnswerBytes,
	metrics.CostCalls}

// costTable has a value for each figure of perAnswer, each run and each query.
type costTable [][][]float64

func newCostTable(runs []retrievalRun, places []int) costTable {
	table := make(costTable, len(perAnswer))
	for f := range table {
		table[f] = make([][]float64, len(runs))
		for k := range runs {
			table[f][k] = make([]float64, len(places))
		}
	}

	for k, run := range runs {
		for i, place := range places {
			q := run.report.PerQuery[place]
			right := q.Cost.Tokens
			if !slices.ContainsFunc(q.Ranked, contracts.RankedTool.Relevant) {
				right += run.report.Cost.AllTools.Tokens
			}

			for f, value := range []int{q.Cost.Tokens, right, q.Cost.Bytes, q.Cost.Calls} {
				table[f][k][i] = float64(value)
			}
		}
	}

	return table
}

// columns has the mean over the runs for each figure and query.
func (t costTable) columns() [][]float64 {
	columns := make([][]float64, len(t))
	for f, runs := range t {
		columns[f] = make([]float64, len(runs[0]))
		for i := range columns[f] {
			values := make([]float64, len(runs))
			for k := range runs {
				values[k] = runs[k][i]
			}

			columns[f][i] = mean(values)
		}
	}

	return columns
}

// perRun has the mean over the queries of a figure for each run.
func (t costTable) perRun(figure int) []float64 {
	means := make([]float64, len(t[figure]))
	for k, values := range t[figure] {
		means[k] = mean(values)
	}
	return means
}

// toolCosts are the figures that do not depend on a query.
func (r *retrieval) toolCosts() []contracts.CostFigure {
	own, all := make([]float64, 0, len(r.runs)), make([]float64, 0, len(r.runs))
	for _, run := range r.runs {
		all = append(all, float64(run.report.Cost.AllTools.Tokens))
		if run.report.Cost.OwnTools != nil {
			own = append(own, float64(run.report.Cost.OwnTools.Tokens))
		}
	}

	figures := []contracts.CostFigure{sameForAll(metrics.CostAllToolsTokens, all)}
	if len(own) == len(r.runs) {
		figures = append(figures, sameForAll(metrics.CostOwnToolsTokens, own))
	}

	return figures
}

func sameForAll(name string, perRun []float64) contracts.CostFigure {
	return contracts.CostFigure{Figure: name, Mean: mean(perRun), Spread: metrics.StdDev(perRun), PerRun: perRun}
}

// breakEven is the break-even of the means. Its interval is that of the tokens per
// answer. A proxy that is not searched over MCP has no tools of its own to offer.
func breakEven(s *contracts.CostSummary) (contracts.CostFigure, bool) {
	all, _ := s.FigureByName(metrics.CostAllToolsTokens)
	own, _ := s.FigureByName(metrics.CostOwnToolsTokens)
	answer, _ := s.FigureByName(metrics.CostAnswerTokens)
	value, ok := metrics.BreakEven(all.Mean, own.Mean, answer.Mean)
	low, lowOK := metrics.BreakEven(all.Mean, own.Mean, answer.Interval.High)
	high, highOK := metrics.BreakEven(all.Mean, own.Mean, answer.Interval.Low)
	if !ok || !lowOK || !highOK {
		return contracts.CostFigure{}, false
	}

	perRun := make([]float64, len(all.PerRun))
	for k := range perRun {
		offered := 0.0
		if own.PerRun != nil {
			offered = own.PerRun[k]
		}

		if perRun[k], ok = metrics.BreakEven(all.PerRun[k], offered, answer.PerRun[k]); !ok {
			return contracts.CostFigure{}, false
		}
	}

	return contracts.CostFigure{Figure: metrics.CostBreakEven, Mean: value, Spread: metrics.StdDev(perRun),
		Interval: &contracts.Interval{Low: low, High: high}, PerRun: perRun}, true
}

func inOrderOfReports(figures []contracts.CostFigure) {
	declared := metrics.CostFigures()
	place := func(f contracts.CostFigure) int {
		return slices.IndexFunc(declared, func(d metrics.CostFigure) bool { return d.Name == f.Figure })
	}
	slices.SortFunc(figures, func(a, b contracts.CostFigure) int { return place(a) - place(b) })
}

// costCurve is recall against tokens for the first 1, 2, ... results, as far as the
// lists reach. If an answer cannot be cut, there is one step: the whole answers. A list
// that has ended costs no more.
func (r *retrieval) costCurve(places []int) []contracts.CostCurveStep {
	longest, cuts := 0, true
	for _, run := range r.runs {
		for _, place := range places {
			q := run.report.PerQuery[place]
			longest = max(longest, len(q.Ranked))
			cuts = cuts && len(q.Cost.TokensThrough) == len(q.Ranked)
		}
	}

	if longest == 0 {
		return []contracts.CostCurveStep{}
	}

	first := 1
	if !cuts {
		first = longest
	}

	topics := make([][]metrics.Topic, len(r.runs))
	for i, run := range r.runs {
		for _, place := range places {
			q := &run.report.PerQuery[place]
			topics[i] = append(topics[i], ranking.Topic(q.Labels, q.Ranked))
		}
	}

	var curve []contracts.CostCurveStep
	for k := first; k <= longest; k++ {
		tokens, recall := make([]float64, len(r.runs)), make([]float64, len(r.runs))
		for i, run := range r.runs {
			tokens[i], recall[i] = costAt(run.report.PerQuery, topics[i], places, k, cuts)
		}

		curve = append(curve, contracts.CostCurveStep{K: k, Tokens: mean(tokens), Recall: mean(recall)})
	}

	return curve
}

// costAt returns the mean tokens up to the end of result k, or of the whole answers
// without cuts, and the mean recall at k. topics has the judged list of each place.
func costAt(queries []contracts.QueryResult, topics []metrics.Topic, places []int, k int,
	cuts bool) (tokens, recall float64) {
	read, found := make([]float64, len(places)), make([]float64, len(places))
	for i, place := range places {
		q := &queries[place]
		read[i] = float64(q.Cost.Tokens)
		if n := len(q.Cost.TokensThrough); cuts && n > 0 {
			read[i] = float64(q.Cost.TokensThrough[min(k, n)-1])
		}

		found[i] = topics[i].Recall(k)
	}

	return mean(read), mean(found)
}
