package label

import (
	"fmt"

	"github.com/touchstone-eval/touchstone/contracts"
)

// Given is the grade of another judge.
type Given struct {
	Judge     string `json:"judge"`
	Relevance int    `json:"relevance"`
}

// Judged is what another judge said: the relevance of tools by query.
type Judged struct {
	Name   string
	Labels map[string]map[contracts.ToolID]int
}

// Disputed returns the part of a pool on which two judges disagree, and the
// grades that both gave there.
func Disputed(pool contracts.Pool, first, second Judged) (contracts.Pool, map[string]map[contracts.ToolID][]Given,
	error) {
	given := map[string]map[contracts.ToolID][]Given{}
	var items []contracts.PoolItem
	for _, item := range pool.Items {
		var tools []contracts.ToolID
		for _, id := range item.Tools {
			a, byFirst := first.Labels[item.ID][id]
			b, bySecond := second.Labels[item.ID][id]
			if !byFirst || !bySecond || a == b {
				continue
			}

			if given[item.ID] == nil {
				given[item.ID] = map[contracts.ToolID][]Given{}
			}

			given[item.ID][id] = []Given{{first.Name, a}, {second.Name, b}}
			tools = append(tools, id)
		}

		if len(tools) > 0 {
			item.Tools = tools
			items = append(items, item)
		}
	}

	if len(items) == 0 {
		return pool, nil, fmt.Errorf("%s and %s disagree on no pair of the pool, so there is nothing to settle",
			first.Name, second.Name)
	}

	pool.Items = items
	return pool, given, nil
}
