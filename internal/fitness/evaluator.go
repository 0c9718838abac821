package fitness

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/proxy"
	"github.com/touchstone-eval/touchstone/metrics"
	"github.com/touchstone-eval/touchstone/scanner"
	"github.com/touchstone-eval/touchstone/stages/scoreretrieval"
)

// depth is how many results a query gets, as in score-retrieval.
const depth = 10

// Options choose what candidates are scored on.
type Options struct {
	// Seed and Share cut the golden set; Share is of the train half, between
	// 0 and 1, and both halves hold a query at least.
	Seed  uint64
	Share float64
	// Metric is the name of the metric that the fitness is, one of
	// contracts.MetricNames.
	Metric string
}

// Evaluator scores candidates. It is safe for use by several goroutines at
// once.
type Evaluator struct {
	corpus         contracts.Corpus
	places         map[contracts.ToolID]int
	train, heldOut []question
	metric         string
	search         *proxy.Variants
	scanner        *scanner.Rescanner
	original       map[contracts.ToolID][]string // what the scanner finds without a candidate
}

// question is a query as the search takes it.
type question struct {
	contracts.Query
	prepared proxy.Question
	terms    []string // the distinct ones
}

func questions(queries []contracts.Query) []question {
	list := make([]question, len(queries))
	for i, q := range queries {
		list[i] = question{q, proxy.NewQuestion(q.Query), proxy.Terms(q.Query)}
	}
	return list
}

// New prepares the scoring of descriptions for the tools of corpus.
func New(corpus contracts.Corpus, golden contracts.GoldenSet, opts Options) (*Evaluator, error) {
	if !slices.Contains(contracts.MetricNames, opts.Metric) {
		return nil, fmt.Errorf("metric %q is unknown; use one of %s", opts.Metric, strings.Join(contracts.MetricNames, ", "))
	}
	if m, _ := metrics.RankingByName(opts.Metric); m.LowerIsBetter {
		return nil, fmt.Errorf("a larger fitness has to be better, and a lower %s is better; use another metric", m.Label)
	}
	if golden.CorpusVersion != corpus.Version {
		return nil, fmt.Errorf("the golden set is over corpus %s and this is corpus %s; give the two that belong together", golden.CorpusVersion, corpus.Version)
	}
	halfEmpty := fmt.Errorf("a share of %g leaves one half of the %d queries empty; give one between 0 and 1", opts.Share, len(golden.Queries))
	if !(opts.Share > 0 && opts.Share < 1) { // said so that NaN is refused too
		return nil, halfEmpty
	}
	e := &Evaluator{corpus: corpus, metric: opts.Metric, places: map[contracts.ToolID]int{}}
	train, heldOut := split(golden.Queries, opts.Seed, opts.Share)
	e.train, e.heldOut = questions(train), questions(heldOut)
	if len(e.train) == 0 || len(e.heldOut) == 0 {
		return nil, halfEmpty
	}
	tools := make([]scanner.Tool, len(corpus.Tools))
	for i, t := range corpus.Tools {
		if _, twice := e.places[t.ToolID]; twice {
			return nil, fmt.Errorf("the corpus has tool %s twice; check it with touchstone stage validate-datasets", t.ToolID)
		}
		e.places[t.ToolID] = i
		tools[i] = scannerTool(t)
	}
	e.search = proxy.NewVariants(corpus.Tools)
	// The original descriptions are what was approved, so that a new directive
	// is found as the change that it is.
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

// Train is the number of queries that candidates are scored on, and HeldOut
// that of those kept back.
func (e *Evaluator) Train() int { return len(e.train) }

// HeldOut is the number of queries kept back.
func (e *Evaluator) HeldOut() int { return len(e.heldOut) }

// Score scores a candidate on the train half, with feedback.
func (e *Evaluator) Score(ctx context.Context, c contracts.Candidate) (contracts.Fitness, error) {
	return e.score(ctx, c, false)
}

// ScoreBoth scores a candidate on both halves, with feedback on the train half
// only. What is tuned by the second figure has been fitted to it.
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
	answer.Train = means(train)
	answer.Fitness = answer.Train.Metrics[e.metric]
	answer.Feedback = e.feedback(search, train)
	if both {
		heldOut, err := ask(ctx, search, e.heldOut)
		if err != nil {
			return contracts.Fitness{}, err
		}
		answer.HeldOut = means(heldOut)
	}
	return answer, nil
}

// changes gives the descriptions of a candidate that differ from the corpus's,
// by the places of their tools there.
func (e *Evaluator) changes(c contracts.Candidate) (map[int]string, error) {
	changes := map[int]string{}
	var unknown []string
	for _, id := range slices.Sorted(maps.Keys(c.Descriptions)) {
		place, ok := e.places[id]
		switch {
		case !ok:
			unknown = append(unknown, id)
		case strings.TrimSpace(c.Descriptions[id]) == "":
			return nil, fmt.Errorf("the description of %s is empty; leave the tool out to keep its own", id)
		case c.Descriptions[id] != e.corpus.Tools[place].Description:
			changes[place] = c.Descriptions[id]
		}
	}
	if len(unknown) > 0 {
		return nil, fmt.Errorf("the corpus has no tool %s; use ids as the corpus has them", strings.Join(unknown, ", "))
	}
	return changes, nil
}

// result is a query with what it found.
type result struct {
	query  question
	ranked []contracts.ToolID
}

func ask(ctx context.Context, search *proxy.Variant, queries []question) ([]result, error) {
	results := make([]result, len(queries))
	for i, q := range queries {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		results[i] = result{q, search.Find(q.prepared, depth)}
	}
	return results, nil
}

func means(results []result) *contracts.SplitMetrics {
	list := make([]contracts.RetrievalMetrics, len(results))
	for i, r := range results {
		list[i] = scoreretrieval.Score(r.query.Labels, r.ranked)
	}
	return &contracts.SplitMetrics{Queries: len(results), Metrics: scoreretrieval.Mean(list)}
}

// scan lists what the scanner finds that it does not find in the original
// descriptions.
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
