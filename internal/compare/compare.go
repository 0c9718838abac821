// Package compare sets two reports of the evaluation side by side, paired by
// query and by entry: what differs, by how much, whether that is more than
// noise, and which queries won and lost. measure.go times two proxies, which
// is the only thing here that looks at a clock or starts a process; the rest
// are pure functions of the reports.
//
// It is no stage of the pipeline: what it says depends on two runs of it. How
// a comparison is written down is package render's business.
package compare

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/metrics"
	"github.com/touchstone-eval/touchstone/stages/aggregate"
)

// Comparison is what differs between two reports, A being the one before.
// All differences are B minus A.
type Comparison struct {
	A Side `json:"a"`
	B Side `json:"b"`
	// Notes say why figures may differ for other reasons than the proxies.
	Notes []string `json:"notes"`
	// Paired counts the queries that both have with the same text and labels;
	// the others are left out of everything below.
	Paired int      `json:"paired"`
	OnlyA  []string `json:"only_a"`
	OnlyB  []string `json:"only_b"`
	// Metrics are in the order of contracts.MetricNames.
	Metrics []Metric `json:"metrics"`
	// By is the metric by which queries are called won and lost.
	By        string     `json:"by"`
	Queries   []Query    `json:"queries"`
	Detectors []Detector `json:"detectors"`
	// Cost is nil where nothing was measured.
	Cost *Cost `json:"cost"`
}

// Side is one of the two.
type Side struct {
	Name          string                 `json:"name"`
	Proxy         string                 `json:"proxy"`
	ProxyIdentity string                 `json:"proxy_identity"`
	SearchPath    string                 `json:"search_path"`
	Degraded      string                 `json:"degraded"`
	Runs          int                    `json:"runs"`
	Errored       int                    `json:"errored"` // queries
	Data          contracts.DataIdentity `json:"data"`
}

// Metric is one ranking metric over the paired queries. DeltaInterval is the
// 95% bootstrap interval, PValue that of the paired randomization test,
// EffectSize Cohen's d_z, null where all differences are equal and not 0.
// Verdict is of B: improved, regressed or within_noise, after Holm's
// correction over the metrics.
type Metric struct {
	Metric        string             `json:"metric"`
	A             float64            `json:"a"`
	B             float64            `json:"b"`
	Delta         float64            `json:"delta"`
	DeltaInterval contracts.Interval `json:"delta_interval"`
	PValue        float64            `json:"p_value"`
	EffectSize    *float64           `json:"effect_size"`
	MinDetectable float64            `json:"min_detectable"`
	Verdict       string             `json:"verdict"`
	Wins          int                `json:"wins"` // queries that B answers better
	Losses        int                `json:"losses"`
	Ties          int                `json:"ties"`
}

// Query is a query whose figures differ, with both ranked lists. Delta is that
// of the metric that queries are judged by.
type Query struct {
	ID      string            `json:"id"`
	Query   string            `json:"query"`
	Labels  []contracts.Label `json:"labels"`
	Outcome string            `json:"outcome"`
	Delta   float64           `json:"delta"`
	A       Answer            `json:"a"`
	B       Answer            `json:"b"`
}

// Answer is what one side said to a query: its figures, and the ranked list of
// its first run, each tool with its relevance where it is judged.
type Answer struct {
	Metrics contracts.RetrievalMetrics `json:"metrics"`
	Ranked  []contracts.RankedTool     `json:"ranked"`
	Error   string                     `json:"error"`
}

// Outcomes of a query or an entry, for B. A query that differs, but not in the
// metric that queries are judged by, is a tie.
const (
	Win  = "win"
	Loss = "loss"
	Tie  = "tie"
)

// Options of a comparison.
type Options struct {
	// By is the metric by which queries are judged; empty for nDCG@10, which
	// sees every change of the first ten.
	By string
}

// Reports compares the aggregates of two reports. It fails where they have no query in common.
func Reports(nameA string, a *contracts.Aggregate, nameB string, b *contracts.Aggregate, o Options) (*Comparison, error) {
	by := cmp.Or(o.By, "ndcg_at_10")
	if !slices.Contains(contracts.MetricNames, by) {
		return nil, fmt.Errorf("there is no metric %q; use one of %s", by, strings.Join(contracts.MetricNames, ", "))
	}
	c := &Comparison{
		A: side(nameA, a), B: side(nameB, b), By: by,
		Notes: []string{}, OnlyA: []string{}, OnlyB: []string{}, Metrics: []Metric{}, Queries: []Query{}, Detectors: []Detector{},
	}
	pairs := c.pair(a.Retrieval.PerQuery, b.Retrieval.PerQuery)
	if len(pairs) == 0 {
		return nil, errors.New("the two reports have no query in common, so there is nothing to pair; compare runs over the same golden set")
	}
	if !slices.Contains(sharedMetrics(pairs), by) {
		return nil, fmt.Errorf("a report does not have the metric %s; measure again with this version, or choose another metric", by)
	}
	c.Paired = len(pairs)
	c.remark()
	c.compareMetrics(pairs)
	c.compareQueries(pairs)
	c.compareDetectors(a.Detectors, b.Detectors)
	return c, nil
}

func side(name string, a *contracts.Aggregate) Side {
	return Side{name, a.Proxy, a.ProxyIdentity, a.SearchPath, a.Degraded, a.Retrieval.Runs, a.Retrieval.Errored, a.Data}
}

// remark notes what else differs than the answers.
func (c *Comparison) remark() {
	note := func(format string, args ...any) { c.Notes = append(c.Notes, fmt.Sprintf(format, args...)) }
	a, b := c.A.Data, c.B.Data
	for _, d := range []struct{ what, shaA, shaB, versionA, versionB string }{
		{"corpus", a.CorpusSHA256, b.CorpusSHA256, a.CorpusVersion, b.CorpusVersion},
		{"golden set", a.GoldenSHA256, b.GoldenSHA256, a.GoldenVersion, b.GoldenVersion},
		{"security corpus", a.SecuritySHA256, b.SecuritySHA256, a.SecurityVersion, b.SecurityVersion},
	} {
		if d.shaA != d.shaB {
			note("the %s is not the same (%.24s and %.24s), so figures differ for that reason too", d.what, d.versionA, d.versionB)
		}
	}
	if n := len(c.OnlyA) + len(c.OnlyB); n > 0 {
		note("%d queries are in one report only, or have other words or labels there, and are left out", n)
	}
	for _, s := range []Side{c.A, c.B} {
		if s.Degraded != "" {
			note("the index of %s was degraded on purpose: %s", s.Name, s.Degraded)
		}
		if s.Errored > 0 {
			note("%d queries of %s ended in an error and count as misses", s.Errored, s.Name)
		}
	}
	if c.A.SearchPath != c.B.SearchPath {
		note("the search paths differ: %s and %s", c.A.SearchPath, c.B.SearchPath)
	}
	if c.A.ProxyIdentity == c.B.ProxyIdentity {
		note("the proxy is the same in both")
	}
}

// pair is a query that both reports have.
type pair struct {
	a, b  *contracts.QuerySummary
	group string
}

// pair finds the queries that are the same in both, sorted by id.
func (c *Comparison) pair(a, b []contracts.QuerySummary) []pair {
	other := make(map[string]*contracts.QuerySummary, len(b))
	for i := range b {
		other[b[i].ID] = &b[i]
	}
	var pairs []pair
	paired := make(map[string]bool, len(a))
	for i := range a {
		q, o := &a[i], other[a[i].ID]
		if o == nil || o.Query != q.Query || !sameLabels(o.Labels, q.Labels) {
			c.OnlyA = append(c.OnlyA, q.ID)
			continue
		}
		paired[q.ID] = true
		pairs = append(pairs, pair{q, o, aggregate.Group(*q)})
	}
	for i := range b {
		if !paired[b[i].ID] {
			c.OnlyB = append(c.OnlyB, b[i].ID)
		}
	}
	slices.Sort(c.OnlyA)
	slices.Sort(c.OnlyB)
	slices.SortFunc(pairs, func(x, y pair) int { return cmp.Compare(x.a.ID, y.a.ID) })
	return pairs
}

func sameLabels(a, b []contracts.Label) bool {
	order := func(labels []contracts.Label) []contracts.Label {
		return slices.SortedFunc(slices.Values(labels), func(x, y contracts.Label) int { return cmp.Compare(x.ToolID, y.ToolID) })
	}
	return slices.Equal(order(a), order(b))
}

func (c *Comparison) compareMetrics(pairs []pair) {
	groups := make([]string, len(pairs))
	names := sharedMetrics(pairs)
	before, after := make([][]float64, len(names)), make([][]float64, len(names))
	for i, p := range pairs {
		groups[i] = p.group
		for m, name := range names {
			x, y := p.values(name)
			before[m], after[m] = append(before[m], x), append(after[m], y)
		}
	}
	for m, x := range aggregate.Paired(names, before, after, groups) {
		metric := Metric{
			Metric: names[m], A: x.Baseline, B: x.Baseline + x.Delta, Delta: x.Delta, DeltaInterval: x.DeltaInterval,
			PValue: x.PValue, MinDetectable: x.MinDetectable, Verdict: x.Verdict,
		}
		metric.B = metrics.Mean(after[m])
		differences := make([]float64, len(pairs))
		for i := range pairs {
			differences[i] = after[m][i] - before[m][i]
			switch outcome(metrics.Gain(metric.Metric, 0, differences[i])) {
			case Win:
				metric.Wins++
			case Loss:
				metric.Losses++
			default:
				metric.Ties++
			}
		}
		if d, ok := metrics.CohenDz(differences); ok {
			metric.EffectSize = &d
		}
		c.Metrics = append(c.Metrics, metric)
	}
}

// sharedMetrics lists the metrics that every query has in both reports. A
// report that another version wrote may lack some.
func sharedMetrics(pairs []pair) []string {
	var names []string
	for _, name := range contracts.MetricNames {
		if !slices.ContainsFunc(pairs, func(p pair) bool {
			_, inA := p.a.Metrics[name]
			_, inB := p.b.Metrics[name]
			return !inA || !inB
		}) {
			names = append(names, name)
		}
	}
	return names
}

func (p pair) values(metric string) (a, b float64) {
	a = p.a.Metrics[metric]
	b = p.b.Metrics[metric]
	return a, b
}

// outcome judges a gain, which is positive where B is better. Means over runs that are equal on paper may
// differ in the last bits.
func outcome(gain float64) string {
	switch {
	case gain > 1e-9:
		return Win
	case gain < -1e-9:
		return Loss
	}
	return Tie
}

// compareQueries lists the queries whose figures differ: losses first, and the
// largest differences first among them.
func (c *Comparison) compareQueries(pairs []pair) {
	names := sharedMetrics(pairs)
	for _, p := range pairs {
		differs := (p.a.Error == "") != (p.b.Error == "")
		for _, name := range names {
			x, y := p.values(name)
			differs = differs || outcome(y-x) != Tie
		}
		if !differs {
			continue
		}
		x, y := p.values(c.By)
		c.Queries = append(c.Queries, Query{
			ID: p.a.ID, Query: p.a.Query, Labels: p.a.Labels, Outcome: outcome(metrics.Gain(c.By, x, y)), Delta: y - x, A: answer(p.a), B: answer(p.b),
		})
	}
	order := []string{Loss, Win, Tie}
	slices.SortStableFunc(c.Queries, func(a, b Query) int {
		return cmp.Or(
			cmp.Compare(slices.Index(order, a.Outcome), slices.Index(order, b.Outcome)),
			cmp.Compare(math.Abs(b.Delta), math.Abs(a.Delta)),
			cmp.Compare(a.ID, b.ID))
	})
}

func answer(q *contracts.QuerySummary) Answer {
	a := Answer{Metrics: q.Metrics, Ranked: []contracts.RankedTool{}, Error: q.Error}
	for _, t := range q.Ranked {
		if t.Relevance == nil {
			for _, l := range q.Labels {
				if l.ToolID == t.ToolID {
					t.Relevance = &l.Relevance
				}
			}
		}
		a.Ranked = append(a.Ranked, t)
	}
	return a
}

// Changed lists the queries that B answers worse and better by a metric, those
// that changed most first.
func Changed(a, b *contracts.Aggregate, metric string) (lost, won []Query, err error) {
	c, err := Reports("a", a, "b", b, Options{By: metric})
	if err != nil {
		return nil, nil, err
	}
	lost, won = []Query{}, []Query{}
	for _, q := range c.Queries {
		switch q.Outcome {
		case Loss:
			lost = append(lost, q)
		case Win:
			won = append(won, q)
		}
	}
	return lost, won, nil
}
