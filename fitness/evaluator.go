package fitness

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/proxy"
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
	train, heldOut []contracts.Query
	queryTerms     map[string][]string // by query id
	metric         string
	scanner        *scanner.Scanner
	original       map[contracts.ToolID][]string // what the scanner finds without a candidate
	terms          termCache
}

// New prepares the scoring of descriptions for the tools of corpus.
func New(corpus contracts.Corpus, golden contracts.GoldenSet, opts Options) (*Evaluator, error) {
	if !slices.Contains(contracts.MetricNames, opts.Metric) {
		return nil, fmt.Errorf("metric %q is unknown; use one of %s", opts.Metric, strings.Join(contracts.MetricNames, ", "))
	}
	if golden.CorpusVersion != corpus.Version {
		return nil, fmt.Errorf("the golden set is over corpus %s and this is corpus %s; give the two that belong together", golden.CorpusVersion, corpus.Version)
	}
	e := &Evaluator{corpus: corpus, metric: opts.Metric, places: map[contracts.ToolID]int{}, queryTerms: map[string][]string{}}
	e.train, e.heldOut = split(golden.Queries, opts.Seed, opts.Share)
	if len(e.train) == 0 || len(e.heldOut) == 0 {
		return nil, fmt.Errorf("a share of %g leaves one half of the %d queries empty; give one between 0 and 1", opts.Share, len(golden.Queries))
	}
	for _, q := range golden.Queries {
		e.queryTerms[q.ID] = proxy.Terms(q.Query)
	}
	tools := make([]scanner.Tool, len(corpus.Tools))
	for i, t := range corpus.Tools {
		if _, twice := e.places[t.ToolID]; twice {
			return nil, fmt.Errorf("the corpus has tool %s twice; check it with touchstone stage validate-datasets", t.ToolID)
		}
		e.places[t.ToolID] = i
		tools[i] = scannerTool(t)
	}
	// The original descriptions are what was approved, so that a new directive
	// is found as the change that it is.
	var err error
	if e.scanner, err = scanner.New(scanner.WithBaseline(tools)); err != nil {
		return nil, err
	}
	e.original = map[contracts.ToolID][]string{}
	for _, f := range e.scanner.Scan(tools).Findings {
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
	tools, err := e.apply(c)
	if err != nil {
		return contracts.Fitness{}, err
	}
	search, err := proxy.NewSearch(tools)
	if err != nil {
		return contracts.Fitness{}, err
	}
	defer search.Close()
	answer := contracts.Fitness{ID: c.ID, Metric: e.metric, Findings: e.scan(tools)}
	answer.Feasible = len(answer.Findings) == 0
	train, err := ask(ctx, search, e.train)
	if err != nil {
		return contracts.Fitness{}, err
	}
	answer.Train = means(e.train, train)
	answer.Fitness, _ = answer.Train.Metrics.Value(e.metric)
	answer.Feedback = e.feedback(tools, train)
	if both {
		heldOut, err := ask(ctx, search, e.heldOut)
		if err != nil {
			return contracts.Fitness{}, err
		}
		answer.HeldOut = means(e.heldOut, heldOut)
	}
	return answer, nil
}

// apply returns the corpus's tools with the candidate's descriptions.
func (e *Evaluator) apply(c contracts.Candidate) ([]contracts.Tool, error) {
	tools := slices.Clone(e.corpus.Tools)
	var unknown []string
	for _, id := range slices.Sorted(maps.Keys(c.Descriptions)) {
		place, ok := e.places[id]
		switch {
		case !ok:
			unknown = append(unknown, id)
		case strings.TrimSpace(c.Descriptions[id]) == "":
			return nil, fmt.Errorf("the description of %s is empty; leave the tool out to keep its own", id)
		default:
			tools[place].Description = c.Descriptions[id]
		}
	}
	if len(unknown) > 0 {
		return nil, fmt.Errorf("the corpus has no tool %s; use ids as the corpus has them", strings.Join(unknown, ", "))
	}
	return tools, nil
}

// result is a query with what it found.
type result struct {
	query  contracts.Query
	ranked []contracts.ToolID
}

func ask(ctx context.Context, search *proxy.Search, queries []contracts.Query) ([]result, error) {
	results := make([]result, len(queries))
	for i, q := range queries {
		ranked, err := search.Find(ctx, q.Query, depth)
		if err != nil {
			return nil, fmt.Errorf("query %s: %w", q.ID, err)
		}
		results[i] = result{q, ranked}
	}
	return results, nil
}

func means(queries []contracts.Query, results []result) *contracts.SplitMetrics {
	list := make([]contracts.RetrievalMetrics, len(results))
	for i, r := range results {
		list[i] = scoreretrieval.Score(r.query.Labels, r.ranked)
	}
	return &contracts.SplitMetrics{Queries: len(queries), Metrics: scoreretrieval.Mean(list)}
}

// scan lists what the scanner finds that it does not find in the original
// descriptions.
func (e *Evaluator) scan(tools []contracts.Tool) []contracts.FitnessFinding {
	scanned := make([]scanner.Tool, len(tools))
	for i, t := range tools {
		scanned[i] = scannerTool(t)
	}
	var findings []contracts.FitnessFinding
	for _, f := range e.scanner.Scan(scanned).Findings {
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
