// Package judging compares what judges said about the tools of a pool. It reads
// the judgements of one judge from a file of judgements or from a golden set.
//
// The page on which people judge is in internal/data/label.
package judging

import (
	"encoding/json"
	"fmt"

	"github.com/touchstone-eval/touchstone/contracts"
)

// Judge is what one judge said: the relevance of tools by query.
type Judge struct {
	Name          string
	CorpusVersion string
	Labels        map[string]map[contracts.ToolID]int
}

// Read reads a golden set or judgements. file is the name of the file, and the
// name of a judge who has none.
func Read(file string, data []byte) (Judge, error) {
	var top map[string]json.RawMessage
	if err := json.Unmarshal(data, &top); err == nil && top["judged"] != nil {
		j, err := contracts.Decode[contracts.Judgements](file, data)
		if err != nil {
			return Judge{}, err
		}

		judge := Judge{Name: j.Judge, CorpusVersion: j.CorpusVersion, Labels: map[string]map[contracts.ToolID]int{}}
		for _, q := range j.Judged {
			if judge.Labels[q.ID] != nil {
				return Judge{}, fmt.Errorf("%s: query %s is judged twice; keep one of the two", file, q.ID)
			}

			if judge.Labels[q.ID], err = relevances(file, q.ID, q.Labels); err != nil {
				return Judge{}, err
			}
		}

		return judge, nil
	}

	g, err := contracts.Decode[contracts.GoldenSet](file, data)
	if err != nil {
		return Judge{}, fmt.Errorf("%w\n%s must be a golden set or a file of judgements", err, file)
	}

	judge := Judge{Name: file, CorpusVersion: g.CorpusVersion, Labels: map[string]map[contracts.ToolID]int{}}
	for _, q := range g.Queries {
		if judge.Labels[q.ID], err = relevances(file, q.ID, q.Labels); err != nil {
			return Judge{}, err
		}
	}

	return judge, nil
}

func relevances(file, query string, labels []contracts.Label) (map[contracts.ToolID]int, error) {
	m := make(map[contracts.ToolID]int, len(labels))
	for _, l := range labels {
		if _, twice := m[l.ToolID]; twice {
			return nil, fmt.Errorf("%s: query %s has two labels for %s; keep one of the two", file, query, l.ToolID)
		}
		m[l.ToolID] = l.Relevance
	}
	return m, nil
}
