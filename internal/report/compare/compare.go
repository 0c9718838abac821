// Package compare compares two reports of the evaluation, paired by query and by
// entry: what differs, by how much, whether the difference exceeds noise, and
// which queries improved or regressed. measure.go measures the times of two
// proxies and is the only file here that uses a clock or starts a process. The
// rest are pure functions of the reports.
//
// The files format*.go write a comparison for a terminal, in Markdown and as a page.
//
// It is not a stage of the pipeline, because a comparison depends on two runs.
package compare

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/report/significance"
	"github.com/touchstone-eval/touchstone/metrics"
)

// Comparison holds the differences between two reports. A is the earlier one.
// All differences are B minus A.
type Comparison struct {
	A Side `json:"a"`
	B Side `json:"b"`
	// Notes give reasons other than the proxies why figures may differ.
	Notes []string `json:"notes"`
	// Paired counts the queries that both reports have with the same text and
	// labels. Other queries are left out of everything below.
	Paired int      `json:"paired"`
	OnlyA  []string `json:"only_a"`
	OnlyB  []string `json:"only_b"`
	// Reordered counts the paired queries whose ranked lists differ in their tools
	// or in their order, and Unmoved those of them with equal figures.
	Reordered int `json:"reordered"`
	Unmoved   int `json:"unmoved"`
	// Metrics are in the order of contracts.MetricNames.
	Metrics []Metric `json:"metrics"`
	// By is the metric that decides whether a query is a win or a loss.
	By        string     `json:"by"`
	Queries   []Query    `json:"queries"`
	Detectors []Detector `json:"detectors"`
	Models    []Model    `json:"models"`
	// NoAnswer is nil unless both reports have unanswerable queries.
	NoAnswer *NoAnswer `json:"no_answer,omitempty"`
	// Cost is nil if nothing was measured.
	Cost *Cost `json:"cost"`
}

// Side describes one of the two reports.
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
// 95% score interval, PValue is that of the paired randomization test over all
// metrics, and EffectSize is Cohen's d_z, null if all differences are equal and
// not 0. Verdict is about B: improved, regressed or within_noise. MinDetectable is
// absent if nothing changed.
type Metric struct {
	Metric        string             `json:"metric"`
	A             float64            `json:"a"`
	B             float64            `json:"b"`
	Delta         float64            `json:"delta"`
	DeltaInterval contracts.Interval `json:"delta_interval"`
	PValue        float64            `json:"p_value"`
	EffectSize    *float64           `json:"effect_size"`
	MinDetectable *float64           `json:"min_detectable,omitempty"`
	Verdict       string             `json:"verdict"`
	Wins          int                `json:"wins"` // queries for which B is better
	Losses        int                `json:"losses"`
	Ties          int                `json:"ties"`
}

// Query is a query whose figures differ, with both ranked lists. Delta is the
// difference in the metric Comparison.By.
type Query struct {
	ID      string            `json:"id"`
	Query   string            `json:"query"`
	Labels  []contracts.Label `json:"labels"`
	Outcome string            `json:"outcome"`
	Delta   float64           `json:"delta"`
	A       Answer            `json:"a"`
	B       Answer            `json:"b"`
}

// Answer is the result of one side for a query: its figures, and the ranked list
// of its first run, where each judged tool has its relevance.
type Answer struct {
	Metrics contracts.RetrievalMetrics `json:"metrics"`
	Ranked  []contracts.RankedTool     `json:"ranked"`
	Error   string                     `json:"error"`
}

// Outcomes of a query or an entry, for B. A query that differs only in other
// metrics than Comparison.By is a tie.
const (
	Win  = "win"
	Loss = "loss"
	Tie  = "tie"
)

// Options are the options of a comparison.
type Options struct {
	// By is the metric that decides the outcome of a query. Empty means
	// nDCG@10, which reacts to every change of the first ten results.
	By string
}

// Reports compares the aggregates of two reports. It fails if they have no query
// in common.
func Reports(nameA string, a *contracts.Aggregate, nameB string, b *contracts.Aggregate, o Options) (*Comparison,
	error) {
	by := cmp.Or(o.By, "ndcg_at_10")
	if !slices.Contains(contracts.MetricNames, by) {
		return nil, fmt.Errorf("there is no metric %q; use one of %s", by, strings.Join(contracts.MetricNames, ", "))
	}

	c := &Comparison{
		A: side(nameA, a), B: side(nameB, b), By: by,
		Notes: []string{}, OnlyA: []string{}, OnlyB: []string{}, Metrics: []Metric{}, Queries: []Query{},
		Detectors: []Detector{},
	}
	pairs := c.pair(a.Retrieval.PerQuery, b.Retrieval.PerQuery)
	if len(pairs) == 0 {
		return nil, errors.New("the two reports have no query in common, so there is nothing to pair; compare runs " +
			"over the same golden set")
	}

	if !slices.Contains(sharedMetrics(pairs), by) {
		return nil, fmt.Errorf("a report does not have the metric %s; measure again with this version, or choose "+
			"another metric", by)
	}

	c.Paired = len(pairs)
	c.remark()
	c.compareMetrics(pairs)
	c.compareQueries(pairs)
	c.compareDetectors(a.Detectors, b.Detectors)
	c.compareSelection(a.Selection, b.Selection)
	c.compareNoAnswer(a.Retrieval.NoAnswer, b.Retrieval.NoAnswer)
	return c, nil
}

func side(name string, a *contracts.Aggregate) Side {
	return Side{name, a.Proxy, a.ProxyIdentity, a.SearchPath, a.Degraded, a.Retrieval.Runs, a.Retrieval.Errored, a.Data}
}

// remark adds notes about differences other than those of the answers.
func (c *Comparison) remark() {
	note := func(format string, args ...any) { c.Notes = append(c.Notes, fmt.Sprintf(format, args...)) }
	a, b := c.A.Data, c.B.Data
	for _, d := range []struct{ what, shaA, shaB, versionA, versionB string }{
		{"corpus", a.CorpusSHA256, b.CorpusSHA256, a.CorpusVersion, b.CorpusVersion},
		{"golden set", a.GoldenSHA256, b.GoldenSHA256, a.GoldenVersion, b.GoldenVersion},
		{"security corpus", a.SecuritySHA256, b.SecuritySHA256, a.SecurityVersion, b.SecurityVersion},
	} {
		if d.shaA != d.shaB {
			note("the %s differs (%.24s and %.24s), so figures may also differ for that reason", d.what, d.versionA,
				d.versionB)
		}
	}

	if n := len(c.OnlyA) + len(c.OnlyB); n > 0 {
		note("%d queries are left out: they are in one report only, or have a different text or labels", n)
	}

	for _, s := range []Side{c.A, c.B} {
		if s.Degraded != "" {
			note("the index of %s was deliberately degraded: %s", s.Name, s.Degraded)
		}

		if s.Errored > 0 {
			note("%d queries of %s failed with an error and count as misses", s.Errored, s.Name)
		}
	}

	if c.A.SearchPath != c.B.SearchPath {
		note("the search paths differ: %s and %s", c.A.SearchPath, c.B.SearchPath)
	}

	if c.A.ProxyIdentity == c.B.ProxyIdentity {
		note("both sides use the same proxy")
	}
}

// pair is a query that both reports have.
type pair struct{ a, b *contracts.QuerySummary }

// pair returns the queries that are the same in both reports, sorted by id.
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
		pairs = append(pairs, pair{q, o})
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
		return slices.SortedFunc(slices.Values(labels),
			func(x, y contracts.Label) int { return cmp.Compare(x.ToolID, y.ToolID) })
	}
	return slices.Equal(order(a), order(b))
}

func (c *Comparison) compareMetrics(pairs []pair) {
	queries := make([]contracts.QuerySummary, len(pairs))
	names := sharedMetrics(pairs)
	before, after := make([][]float64, len(names)), make([][]float64, len(names))
	for i, p := range pairs {
		queries[i] = *p.a
		for m, name := range names {
			x, y := p.values(name)
			before[m], after[m] = append(before[m], x), append(after[m], y)
		}
	}

	for m, x := range significance.Paired(names, before, after, significance.Groups(queries)) {
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

// outcome classifies a gain, which is positive where B is better. It ignores
// gains up to 1e-9, because equal means over runs may differ in the last bits.
func outcome(gain float64) string {
	switch {
	case gain > 1e-9:
		return Win
	case gain < -1e-9:
		return Loss
	}
	return Tie
}

// compareQueries lists the queries whose figures differ: losses first, then by
// the size of the difference.
func (c *Comparison) compareQueries(pairs []pair) {
	names := sharedMetrics(pairs)
	for _, p := range pairs {
		differs := (p.a.Error == "") != (p.b.Error == "")
		for _, name := range names {
			x, y := p.values(name)
			differs = differs || outcome(y-x) != Tie
		}

		if !sameTools(p.a.Ranked, p.b.Ranked) {
			c.Reordered++
			if !differs {
				c.Unmoved++
			}
		}

		if !differs {
			continue
		}

		x, y := p.values(c.By)
		c.Queries = append(c.Queries, Query{
			ID: p.a.ID, Query: p.a.Query, Labels: p.a.Labels, Outcome: outcome(metrics.Gain(c.By, x, y)), Delta: y - x,
			A: answer(p.a), B: answer(p.b),
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

// sameTools reports whether two ranked lists have the same tools in the same order.
func sameTools(a, b []contracts.RankedTool) bool {
	return slices.EqualFunc(a, b, func(x, y contracts.RankedTool) bool { return x.ToolID == y.ToolID })
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

// Changed lists the queries that B answers worse and those that it answers
// better by a metric, each sorted by the size of the change.
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
