package convert

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/base/readlimit"
)

// metaToolServer is the server of all tools of MetaTool, which has none.
const metaToolServer = "metatool"

// readMetaTool reads MetaTool (Huang et al., arXiv:2310.03128): the descriptions
// of its tools by name, a table of queries that one tool serves, and a list of
// queries that take two.
func readMetaTool(im *importer, files []File) ([]Imported, error) {
	var tools []contracts.Tool
	var queries []contracts.Query
	for _, f := range files {
		var found []contracts.Query
		var err error
		switch {
		case path.Ext(f.Name) == ".csv":
			found, err = metaToolTable(f)
		case path.Base(f.Name) == "plugin_des.json":
			var descriptions map[string]string
			if err := json.Unmarshal(readlimit.WithoutMark(f.Data), &descriptions); err != nil {
				return nil, fmt.Errorf("%s: it is not a JSON object of tools and their descriptions: %w", f.Name, err)
			}

			for _, name := range slices.Sorted(maps.Keys(descriptions)) {
				tools = append(tools,
					contracts.Tool{Server: metaToolServer, Tool: name, Description: descriptions[name]})
			}
		default:
			found, err = im.metaToolList(f)
		}

		if err != nil {
			return nil, err
		}

		queries = append(queries, found...)
	}

	return im.corpusAndGolden(tools, im.withoutRepeats(queries))
}

// metaToolTable reads the queries that one tool serves. Their ids have the line.
func metaToolTable(f File) ([]contracts.Query, error) {
	r := csv.NewReader(bytes.NewReader(readlimit.WithoutMark(f.Data)))
	r.FieldsPerRecord = 2
	head, err := r.Read()
	if err != nil || head[0] != "Query" || head[1] != "Tool" {
		return nil, fmt.Errorf("%s: its first line is not Query,Tool; check that it is the table of MetaTool", f.Name)
	}

	var queries []contracts.Query
	for {
		row, err := r.Read()
		if errors.Is(err, io.EOF) {
			return queries, nil
		}

		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}

		line, _ := r.FieldPos(0)
		queries = append(queries, metaToolQuery(fmt.Sprintf("one-%d", line), row[0], row[1]))
	}
}

// metaToolList reads the queries that take several tools.
func (im *importer) metaToolList(f File) ([]contracts.Query, error) {
	rows, err := im.rows(f)
	if err != nil {
		return nil, err
	}

	var queries []contracts.Query
	for i, o := range rows {
		var text string
		var tools []string
		if err := o.all(map[string]any{"query": &text, "tool": &tools}); err != nil {
			return nil, fmt.Errorf("%s: query %d: %w", f.Name, i+1, err)
		}

		queries = append(queries, metaToolQuery(fmt.Sprintf("two-%d", i+1), text, tools...))
	}

	return queries, nil
}

func metaToolQuery(id, text string, tools ...string) contracts.Query {
	q := contracts.Query{ID: id, Query: text}
	slices.Sort(tools)
	for _, name := range slices.Compact(tools) {
		q.Labels = append(q.Labels, contracts.Label{ToolID: metaToolServer + ":" + name, Relevance: maxRelevance})
	}
	return q
}

// withoutRepeats merges queries of the same text: each tool of one of them is
// right.
func (im *importer) withoutRepeats(queries []contracts.Query) []contracts.Query {
	var merged []contracts.Query
	at := map[string]int{}
	for _, q := range queries {
		i, ok := at[q.Query]
		if !ok {
			at[q.Query] = len(merged)
			merged = append(merged, q)
			continue
		}

		im.recordMapping("merged: a query with the text of an earlier one")
		for _, l := range q.Labels {
			if !slices.Contains(merged[i].Labels, l) {
				merged[i].Labels = append(merged[i].Labels, l)
			}
		}
	}

	return merged
}
