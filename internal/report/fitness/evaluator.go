package fitness

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/proxy/reference"
	"github.com/touchstone-eval/touchstone/internal/report/ranking"
	"github.com/touchstone-eval/touchstone/internal/report/significance"
	"github.com/touchstone-eval/touchstone/metrics"
	"github.com/touchstone-eval/touchstone/scanner"
)

// depth is the number of results for each query, as in score-retrieval.
const depth = 10

// Options select what candidates are scored on.
type Options struct {
	// Seed and the parts divide the golden set. Candidates are scored on the
	// train and the validation part, at least one of which has a query.
	Seed                       uint64
	Train, Validation, HeldOut Part
	// Metric is the name of the metric that is the fitness, one of
	// contracts.MetricNames.
	Metric string
	// Proxies is the proxy that searches; nil means the search of the reference
	// proxy, in this process.
	Proxies *Proxies
}

// Evaluator scores candidates. It is safe for concurrent use.
type Evaluator struct {
	corpus   contracts.Corpus
	places   map[contracts.ToolID]int
	scored   []question // of the train and the validation part
	numbers  map[string]int
	heldOut  []question
	sizes    Sizes
	metric   string
	search   *reference.Variants
	proxies  *Proxies
	scanner  *scanner.Rescanner
	original map[contracts.ToolID][]string // findings of the scanner on the original descriptions
}

// Sizes are the numbers of queries in the parts. Unused are in none.
type Sizes struct {
	Train      int `json:"train"`
	Validation int `json:"validation"`
	HeldOut    int `json:"held_out"`
	Unused     int `json:"unused"`
}

// question is a query, prepared for the search.
type question struct {
	contracts.Query
	part     string
	prepared reference.Question
	terms    []string // the distinct ones
}

func questions(queries []contracts.Query, part string) []question {
	list := make([]question, len(queries))
	for i, q := range queries {
		list[i] = question{q, part, reference.NewQuestion(q.Query), reference.Terms(q.Query)}
	}
	return list
}

// New returns an Evaluator of descriptions for the tools of corpus.
func New(corpus contracts.Corpus, golden contracts.GoldenSet, opts Options) (*Evaluator, error) {
	if !slices.Contains(contracts.MetricNames, opts.Metric) {
		return nil, fmt.Errorf("unknown metric %q; use one of %s", opts.Metric,
			strings.Join(contracts.MetricNames, ", "))
	}

	if m, _ := metrics.RankingByName(opts.Metric); m.LowerIsBetter {
		return nil, fmt.Errorf("a larger fitness must be better, but a lower %s is better; use another metric", m.Label)
	}

	if golden.CorpusVersion != corpus.Version {
		return nil, fmt.Errorf("the golden set is for corpus %s, but this is corpus %s; give a corpus and a golden "+
			"set that belong together", golden.CorpusVersion, corpus.Version)
	}

	d, err := divide(golden, opts)
	if err != nil {
		return nil, &PartsError{err}
	}

	e := &Evaluator{corpus: corpus, metric: opts.Metric, proxies: opts.Proxies, places: map[contracts.ToolID]int{},
		numbers: map[string]int{},
		sizes:   Sizes{len(d.train), len(d.validation), len(d.heldOut), len(d.unused)},
		heldOut: questions(d.heldOut, contracts.PartHeldOut)}
	e.scored = inOrder(golden, append(questions(d.train, contracts.PartTrain),
		questions(d.validation, contracts.PartValidation)...))
	for i, q := range e.scored {
		e.numbers[q.ID] = i
	}

	tools := make([]scanner.Tool, len(corpus.Tools))
	for i, t := range corpus.Tools {
		if _, twice := e.places[t.ToolID]; twice {
			return nil, fmt.Errorf("the corpus has tool %s twice; check it with touchstone stage validate-datasets",
				t.ToolID)
		}

		e.places[t.ToolID] = i
		tools[i] = scannerTool(t)
	}

	e.search = reference.NewVariants(corpus.Tools)
	// The original descriptions are the scanner's baseline, so that it reports
	// a new directive as a change.
	checks, err := scanner.New(scanner.WithBaseline(tools))
	if err != nil {
		return nil, err
	}

	e.scanner = checks.Rescanner(tools)
	e.original = map[contracts.ToolID][]string{}
	for _, f := range e.scanner.Scan(nil) {
		e.original[f.Server+":"+f.Tool] = f.CheckIDs()
	}

	return e, nil
}

func scannerTool(t contracts.Tool) scanner.Tool {
	return scanner.Tool{Server: t.Server, Name: t.Tool, Description: t.Description, InputSchema: t.Schema}
}

// inOrder sorts queries as they are in the golden set.
func inOrder(golden contracts.GoldenSet, list []question) []question {
	place := make(map[string]int, len(golden.Queries))
	for i, q := range golden.Queries {
		place[q.ID] = i
	}
	slices.SortFunc(list, func(a, b question) int { return cmp.Compare(place[a.ID], place[b.ID]) })
	return list
}

// Sizes returns how many queries are in each part.
func (e *Evaluator) Sizes() Sizes { return e.sizes }

// VisibleQuery is a query that an optimiser sees.
type VisibleQuery struct {
	ID       string             `json:"id"`
	Part     string             `json:"part"`
	Query    string             `json:"query"`
	Expected []contracts.ToolID `json:"expected"` // the most relevant first
}

// Queries returns the queries of the train and the validation part, in the order
// of the golden set.
func (e *Evaluator) Queries() []VisibleQuery {
	list := make([]VisibleQuery, len(e.scored))
	for i, q := range e.scored {
		list[i] = VisibleQuery{ID: q.ID, Part: q.part, Query: q.Query.Query, Expected: []contracts.ToolID{}}
		for _, t := range expectedTools(result{query: q}) {
			list[i].Expected = append(list[i].Expected, t.ToolID)
		}
	}
	return list
}

// Descriptions returns the original descriptions.
func (e *Evaluator) Descriptions() map[contracts.ToolID]string {
	all := make(map[contracts.ToolID]string, len(e.corpus.Tools))
	for _, t := range e.corpus.Tools {
		all[t.ToolID] = t.Description
	}
	return all
}

// Score scores a candidate on the queries that it selects, or on the train and
// the validation part, with feedback on the train part.
func (e *Evaluator) Score(ctx context.Context, c contracts.Candidate) (contracts.Fitness, error) {
	return e.score(ctx, c, false)
}

// ScoreAll scores a candidate on all parts, with intervals. Do not tune by the
// figures of the held-out part: that would fit candidates to it.
func (e *Evaluator) ScoreAll(ctx context.Context, c contracts.Candidate) (contracts.Fitness, error) {
	if len(c.Queries) > 0 {
		return contracts.Fitness{}, errors.New(`the candidate selects queries, but a file is scored on all parts; leave ` +
			`"queries" out, or send the candidate to touchstone fitness serve`)
	}
	return e.score(ctx, c, true)
}

func (e *Evaluator) score(ctx context.Context, c contracts.Candidate, all bool) (contracts.Fitness, error) {
	changes, err := e.changes(c)
	if err != nil {
		return contracts.Fitness{}, err
	}

	queries, err := e.selected(c.Queries)
	if err != nil {
		return contracts.Fitness{}, err
	}

	asked := queries
	if all {
		asked = slices.Concat(queries, e.heldOut)
	}

	search := e.search.With(changes)
	results, err := e.ask(ctx, search, changes, asked)
	if err != nil {
		return contracts.Fitness{}, err
	}

	answer := contracts.Fitness{ID: c.ID, Metric: e.metric, Findings: e.scan(changes)}
	answer.Feasible = len(answer.Findings) == 0
	if all {
		answer.HeldOut = means(results[len(queries):], true)
		results = results[:len(queries)]
	}

	var figures *contracts.SplitMetrics
	if len(c.Queries) > 0 {
		answer.Selected = means(results, false)
		figures = answer.Selected
	} else {
		answer.Train = means(ofPart(results, contracts.PartTrain), all)
		answer.Validation = means(ofPart(results, contracts.PartValidation), all)
		figures = cmp.Or(answer.Train, answer.Validation)
	}

	answer.Fitness = figures.Metrics[e.metric]
	answer.Scores = e.scores(results)
	answer.Feedback = e.feedback(search, ofPart(results, contracts.PartTrain))
	return answer, nil
}

// selected returns the queries with the given ids, in the order of the golden
// set, or all of the train and the validation part if there is no id.
func (e *Evaluator) selected(ids []string) ([]question, error) {
	if len(ids) == 0 {
		return e.scored, nil
	}

	chosen := map[int]bool{}
	for _, id := range ids {
		n, ok := e.numbers[id]
		if !ok {
			// The message is the same for a query that is held out and one that does not exist.
			return nil, fmt.Errorf("query %s is in neither the train nor the validation part; use ids that touchstone "+
				"fitness parts lists", id)
		}
		chosen[n] = true
	}

	var list []question
	for _, n := range slices.Sorted(maps.Keys(chosen)) {
		list = append(list, e.scored[n])
	}

	return list, nil
}

func ofPart(results []result, part string) (list []result) {
	for _, r := range results {
		if r.query.part == part {
			list = append(list, r)
		}
	}
	return list
}

// scores returns the figures of each result.
func (e *Evaluator) scores(results []result) []contracts.QueryScore {
	list := make([]contracts.QueryScore, len(results))
	for i, r := range results {
		list[i] = contracts.QueryScore{QueryID: r.query.ID, Part: r.query.part, Score: r.score()[e.metric],
			Ranked: append([]contracts.ToolID{}, r.ranked...), Error: r.failed}
		if expected := expectedTools(r); len(expected) > 0 {
			list[i].Rank = expected[0].Rank
		}
	}
	return list
}

// changes returns the descriptions of a candidate that differ from those of the
// corpus. The keys are indexes of tools in the corpus.
func (e *Evaluator) changes(c contracts.Candidate) (map[int]string, error) {
	changes := map[int]string{}
	var unknown []string
	for _, id := range slices.Sorted(maps.Keys(c.Descriptions)) {
		place, ok := e.places[id]
		switch {
		case !ok:
			unknown = append(unknown, id)
		case strings.TrimSpace(c.Descriptions[id]) == "":
			return nil, fmt.Errorf("the description of %s is empty; leave the tool out to keep its description", id)
		case c.Descriptions[id] != e.corpus.Tools[place].Description:
			changes[place] = c.Descriptions[id]
		}
	}

	if len(unknown) > 0 {
		return nil, fmt.Errorf("the corpus has no tool %s; use tool ids of the corpus", strings.Join(unknown, ", "))
	}

	return changes, nil
}

// result is a query with its results. failed says why there are none.
type result struct {
	query  question
	ranked []contracts.ToolID
	failed string
}

// score computes the metrics of a result.
func (r result) score() contracts.RetrievalMetrics {
	if r.failed != "" {
		return ranking.Worst()
	}
	return ranking.Score(r.query.Labels, r.ranked)
}

// ask searches with the proxy, or else with search, which has the same changes.
func (e *Evaluator) ask(ctx context.Context, search *reference.Variant, changes map[int]string,
	queries []question) ([]result, error) {
	if e.proxies != nil {
		return e.proxies.ask(ctx, e.corpus, changes, queries)
	}

	results := make([]result, len(queries))
	for i, q := range queries {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		results[i] = result{query: q, ranked: search.Find(q.prepared, depth)}
	}

	return results, nil
}

// means returns the means over the results, if asked with their intervals. It
// returns nil for no results.
func means(results []result, intervals bool) *contracts.SplitMetrics {
	if len(results) == 0 {
		return nil
	}

	list := make([]contracts.RetrievalMetrics, len(results))
	queries := make([]contracts.QuerySummary, len(results))
	failed := 0
	for i, r := range results {
		if r.failed != "" {
			failed++
		}

		list[i] = r.score()
		queries[i] = contracts.QuerySummary{ID: r.query.ID, Labels: r.query.Labels}
	}

	s := &contracts.SplitMetrics{Queries: len(results), Failed: failed, Metrics: ranking.Mean(list)}
	if !intervals {
		return s
	}

	groups := significance.Groups(queries)
	values := make([]float64, len(list))
	for _, m := range metrics.Ranking() {
		for i := range list {
			values[i] = list[i][m.Name]
		}

		interval := metrics.ScoreMean(values, groups)
		s.Intervals = append(s.Intervals,
			contracts.MetricInterval{Metric: m.Name, Low: interval.Low, High: interval.High})
	}

	return s
}

// scan returns the findings of the scanner that the original descriptions do not
// have.
func (e *Evaluator) scan(changes map[int]string) []contracts.FitnessFinding {
	var findings []contracts.FitnessFinding
	for _, f := range e.scanner.Scan(changes) {
		id := f.Server + ":" + f.Tool
		isNew := func(s scanner.Signal) bool { return !slices.Contains(e.original[id], s.CheckID) }
		first := slices.IndexFunc(f.Signals, isNew)
		if first < 0 {
			continue
		}

		findings = append(findings, contracts.FitnessFinding{
			ToolID: id, Severity: string(f.Severity), Signals: f.CheckIDs(), Evidence: f.Signals[first].Evidence,
		})
	}

	return findings
}
