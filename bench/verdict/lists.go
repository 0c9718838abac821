package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/proxy/direct"
	"github.com/touchstone-eval/touchstone/internal/proxy/reference"
	"github.com/touchstone-eval/touchstone/internal/report/significance"
	"github.com/touchstone-eval/touchstone/metrics"
	"github.com/touchstone-eval/touchstone/stages/scoreretrieval"
)

// depth is the length of a ranked list: what a baseline keeps.
const depth = 10

// dataset is a golden set over a corpus.
type dataset struct {
	name    string
	queries []contracts.Query
	groups  []string
	tools   []contracts.Tool
}

func readDataset(name, corpusFile, goldenFile string) (dataset, error) {
	corpus, err := contracts.Read[contracts.Corpus](corpusFile)
	if err != nil {
		return dataset{}, err
	}

	golden, err := contracts.Read[contracts.GoldenSet](goldenFile)
	if err != nil {
		return dataset{}, err
	}

	d := dataset{name: name, tools: corpus.Tools}
	var summaries []contracts.QuerySummary
	for _, q := range golden.Queries {
		if len(rightTools(q.Labels)) == 0 {
			continue // no tool serves it, so it has no ranking metric
		}

		d.queries = append(d.queries, q)
		summaries = append(summaries, contracts.QuerySummary{ID: q.ID, Labels: q.Labels})
	}

	d.groups = significance.Groups(summaries)
	return d, nil
}

// sharing returns the part of the dataset whose queries share at least so many
// words with their best tool. It is easy for a search by words.
func (d dataset) sharing(words int) dataset {
	tools := make(map[contracts.ToolID]contracts.Tool, len(d.tools))
	for _, t := range d.tools {
		tools[t.ToolID] = t
	}

	part := dataset{name: fmt.Sprintf("%s, %d+ words", d.name, words), tools: d.tools}
	var summaries []contracts.QuerySummary
	for _, q := range d.queries {
		if scoreretrieval.SharedWords(q, tools) >= words {
			part.queries = append(part.queries, q)
			summaries = append(summaries, contracts.QuerySummary{ID: q.ID, Labels: q.Labels})
		}
	}

	part.groups = significance.Groups(summaries)
	return part
}

// system is a search with the ranked list of each query of a dataset.
type system struct {
	name   string
	data   *dataset
	ranked [][]contracts.ToolID
	// columns has the values of the queries for each of contracts.MetricNames.
	columns [][]float64
}

func newSystem(name string, data *dataset, ranked [][]contracts.ToolID) system {
	return system{name, data, ranked, columnsOf(data, ranked)}
}

// columnsOf scores ranked lists.
func columnsOf(data *dataset, ranked [][]contracts.ToolID) [][]float64 {
	columns := make([][]float64, len(contracts.MetricNames))
	for m := range columns {
		columns[m] = make([]float64, len(ranked))
	}

	for i, list := range ranked {
		judged := make(map[string]int)
		for _, l := range data.queries[i].Labels {
			judged[l.ToolID] = l.Relevance
		}

		topic := metrics.EvaluateTopic(list, judged, 1)
		for m, name := range contracts.MetricNames {
			declared, _ := metrics.RankingByName(name)
			columns[m][i] = declared.Compute(topic)
		}
	}

	return columns
}

// value is the mean of a metric.
func (s system) value(metric string) float64 { return metrics.Mean(s.column(metric)) }

// column has the values of a metric.
func (s system) column(metric string) []float64 {
	return s.columns[slices.Index(contracts.MetricNames, metric)]
}

// live counts the queries with a right tool in their list. All others have the
// value 0 and cannot get worse.
func (s system) live() int {
	n := 0
	for _, v := range s.column("recall_at_10") {
		if v > 0 {
			n++
		}
	}
	return n
}

// searcher returns at most limit tools, best first.
type searcher interface {
	Search(ctx context.Context, query string, limit int) ([]contracts.ToolID, error)
}

// systems searches the dataset with each engine that needs nothing from outside.
func systems(ctx context.Context, data *dataset) ([]system, error) {
	full, err := reference.NewIndex(ctx, data.tools, nil)
	if err != nil {
		return nil, err
	}

	named := make([]contracts.Tool, len(data.tools))
	grams := make([]contracts.Tool, len(data.tools))
	for i, t := range data.tools {
		named[i], grams[i] = t, t
		named[i].Description = ""
		grams[i].Tool, grams[i].Description = trigrams(t.Tool), trigrams(t.Description)
	}

	same := func(query string) string { return query }
	var list []system
	for _, e := range []struct {
		name  string
		tools []contracts.Tool // nil for the reference proxy's index
		query func(string) string
	}{
		{"reference", nil, same},
		{"reference, first two words", nil, firstTwoWords},
		{"plain BM25", data.tools, same},
		{"names only", named, same},
		{"character trigrams", grams, trigrams},
	} {
		var engine searcher = full
		if e.tools != nil {
			if engine, err = direct.NewRanking(ctx, direct.RankBM25, e.tools, nil); err != nil {
				return nil, err
			}
		}

		ranked := make([][]contracts.ToolID, len(data.queries))
		for i, q := range data.queries {
			if ranked[i], err = engine.Search(ctx, e.query(q.Query), depth); err != nil {
				return nil, fmt.Errorf("%s, %s: %w", e.name, q.ID, err)
			}
		}

		list = append(list, newSystem(e.name, data, ranked))
	}

	return list, nil
}

func firstTwoWords(query string) string {
	words := strings.Fields(query)
	return strings.Join(words[:min(2, len(words))], " ")
}

// trigrams replaces each word by its overlapping parts of three letters.
func trigrams(text string) string {
	var parts []string
	for _, word := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r > 127)
	}) {
		letters := []rune("x" + word + "x")
		for i := 0; i+3 <= len(letters); i++ {
			parts = append(parts, string(letters[i:i+3]))
		}
	}
	return strings.Join(parts, " ")
}
