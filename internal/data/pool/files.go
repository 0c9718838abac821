package pool

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/data/convert"
	"github.com/touchstone-eval/touchstone/metrics/trec"
)

// ReadQueries reads the queries of a file that need not have labels: a JSON
// array of objects with id and query, an object whose field queries is such an
// array, or lines with an id, a tab and a text. file is its name for errors.
func ReadQueries(file string, data []byte) ([]Query, error) {
	var queries []Query
	switch trimmed := bytes.TrimSpace(data); {
	case len(trimmed) == 0:
		return nil, fmt.Errorf("%s is empty; it must have queries", file)
	case trimmed[0] == '{' || trimmed[0] == '[':
		var err error
		if queries, err = jsonQueries(file, trimmed); err != nil {
			return nil, err
		}
	default:
		topics, err := convert.ReadTopics(file, bytes.NewReader(data))
		if err != nil {
			return nil, err
		}

		for _, t := range topics {
			queries = append(queries, Query{ID: t.ID, Text: t.Text})
		}
	}

	if len(queries) == 0 {
		return nil, fmt.Errorf("%s has no query; add one", file)
	}

	first := make(map[string]int, len(queries))
	for i, q := range queries {
		if j, twice := first[q.ID]; twice {
			return nil, fmt.Errorf("%s: queries %d and %d have the id %q; give each query an id of its own", file, j+1,
				i+1, q.ID)
		}

		first[q.ID] = i
	}

	return queries, nil
}

func jsonQueries(file string, data []byte) ([]Query, error) {
	type query struct {
		ID       string `json:"id"`
		Query    string `json:"query"`
		Language string `json:"language"`
	}
	var list []query
	var err error
	if data[0] == '{' {
		var set struct {
			Queries []query `json:"queries"`
		}
		err = json.Unmarshal(data, &set)
		list = set.Queries
	} else {
		err = json.Unmarshal(data, &list)
	}

	if err != nil {
		return nil, fmt.Errorf("%s is no list of queries: %w; write an array of objects with id and query", file, err)
	}

	queries := make([]Query, len(list))
	for i, q := range list {
		if q.ID == "" || strings.TrimSpace(q.Query) == "" {
			return nil, fmt.Errorf("%s: query %d (%q) has no id or no text; both are needed", file, i+1, q.ID)
		}

		queries[i] = Query{q.ID, q.Query, q.Language}
	}

	return queries, nil
}

// ReadRun reads the results of a retriever: a retrieval report of one run of
// score-retrieval, or a TREC run. An empty name stands for the proxy of the
// report or the tag of the run. file is the file's name for errors.
func ReadRun(name, file string, data []byte) (Run, error) {
	run := Run{Name: name, Found: map[string][]contracts.ToolID{}}
	if trimmed := bytes.TrimSpace(data); len(trimmed) > 0 && trimmed[0] == '{' {
		report, err := contracts.Decode[contracts.RetrievalReport](file, data)
		if err != nil {
			return run, err
		}

		if run.Name == "" {
			run.Name = report.Proxy
		}

		for _, q := range report.PerQuery {
			ranked := slices.Clone(q.Ranked)
			slices.SortStableFunc(ranked, func(a, b contracts.RankedTool) int { return a.Rank - b.Rank })
			for _, r := range ranked {
				run.Found[q.ID] = append(run.Found[q.ID], r.ToolID)
			}
		}

		return run, nil
	}

	results, err := trec.ReadRun(file, bytes.NewReader(data))
	if err != nil {
		return run, err
	}

	if len(results) == 0 {
		return run, fmt.Errorf("%s has no results; it must be a retrieval report or a TREC run", file)
	}

	for id, list := range results {
		for _, r := range list {
			run.Found[id] = append(run.Found[id], convert.ToolID(r.ID))
		}
	}

	if run.Name == "" {
		run.Name = lastField(data)
	}

	return run, nil
}

// lastField is the tag of a TREC run: the last field of its first line.
func lastField(data []byte) string {
	line, _, _ := bytes.Cut(bytes.TrimSpace(data), []byte("\n"))
	fields := bytes.Fields(line)
	return string(fields[len(fields)-1])
}
