package fitness

import (
	"context"
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
	// Seed and Share split the golden set. Share is the train half's share of
	// the queries, between 0 and 1; both halves get at least one query.
	Seed  uint64
	Share float64
	// Metric is the name of the metric that is the fitness, one of
	// contracts.MetricNames.
	Metric string
}

// Evaluator scores candidates. It is safe for concurrent use.
type Evaluator struct {
	corpus         contracts.Corpus
	places         map[contracts.ToolID]int
	train, heldOut []question
	metric         string
	search         *reference.Variants
	scanner        *scanner.Rescanner
	original       map[contracts.ToolID][]string // findings of the scanner on the original descriptions
}

// question is a query, prepared for the search.
type question struct {
	contracts.Query
	prepared reference.Question
	terms    []string // the distinct ones
}

func questions(queries []contracts.Query) []question {
	list := make([]question, len(queries))
	for i, q := range queries {
		list[i] = question{q, reference.NewQuestion(q.Query), reference.Terms(q.Query)}
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

	usable := development(golden)
	halfEmpty := fmt.Errorf("a share of %g leaves one half of the %d queries empty; give a share between 0 and 1 "+
		"that leaves a query in both", opts.Share, len(usable))
	if !(opts.Share > 0 && opts.Share < 1) { // written so that NaN is refused too
		return nil, halfEmpty
	}

	e := &Evaluator{corpus: corpus, metric: opts.Metric, places: map[contracts.ToolID]int{}}
	train, heldOut := split(usable, opts.Seed, opts.Share)
	e.train, e.heldOut = questions(train), questions(heldOut)
	if len(e.train) == 0 || len(e.heldOut) == 0 {
		return nil, halfEmpty
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

// Train returns the number of queries that candidates are scored on.
func (e *Evaluator) Train() int { return len(e.train) }

// HeldOut returns the number of queries that are held out.
func (e *Evaluator) HeldOut() int { return len(e.heldOut) }

// Score scores a candidate on the train half, with feedback.
func (e *Evaluator) Score(ctx context.Context, c contracts.Candidate) (contracts.Fitness, error) {
	return e.score(ctx, c, false)
}

// ScoreBoth scores a candidate on both halves, with feedback on the train half
// only. Do not tune by the second figure: that would fit candidates to it.
func (e *Evaluator) ScoreBoth(ctx context.Context, c contracts.Candidate) (contracts.Fitness, error) {
	return e.score(ctx, c, true)
}

func (e *Evaluator) score(ctx context.Context, c contracts.Candidate, both bool) (contracts.Fitness, error) {
	changes, err := e.changes(c)
	if err != nil {
		return contracts.Fitness{}, err
	}

	search := e.search.With(changes)
	answer := contracts.Fitness{ID: c.ID, Metric: e.metric, Findings: e.scan(changes)}
	answer.Feasible = len(answer.Findings) == 0
	train, err := ask(ctx, search, e.train)
	if err != nil {
		return contracts.Fitness{}, err
	}

	answer.Train = means(train, both)
	answer.Fitness = answer.Train.Metrics[e.metric]
	answer.Feedback = e.feedback(search, train)
	if both {
		heldOut, err := ask(ctx, search, e.heldOut)
		if err != nil {
			return contracts.Fitness{}, err
		}

		answer.HeldOut = means(heldOut, true)
	}

	return answer, nil
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

// result is a query with its results.
type result struct {
	query  question
	ranked []contracts.ToolID
}

func ask(ctx context.Context, search *reference.Variant, queries []question) ([]result, error) {
	results := make([]result, len(queries))
	for i, q := range queries {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		results[i] = result{q, search.Find(q.prepared, depth)}
	}
	return results, nil
}

// means returns the means over the results, if asked with their intervals.
func means(results []result, intervals bool) *contracts.SplitMetrics {
	list := make([]contracts.RetrievalMetrics, len(results))
	queries := make([]contracts.QuerySummary, len(results))
	for i, r := range results {
		list[i] = ranking.Score(r.query.Labels, r.ranked)
		queries[i] = contracts.QuerySummary{ID: r.query.ID, Labels: r.query.Labels}
	}

	s := &contracts.SplitMetrics{Queries: len(results), Metrics: ranking.Mean(list)}
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
