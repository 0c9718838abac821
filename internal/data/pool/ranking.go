package pool

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"github.com/touchstone-eval/touchstone/contracts"
)

// ranking orders tools by their scores.
type ranking struct{ ids []contracts.ToolID }

func newRanking(tools []contracts.Tool) ranking {
	r := ranking{make([]contracts.ToolID, len(tools))}
	for i, t := range tools {
		r.ids[i] = t.ToolID
	}
	return r
}

// best returns the ids of at most limit tools with a score above 0, best first.
// Scores are compared with six significant digits, and equal ones by id: the
// last bits depend on the order of summation.
func (r ranking) best(scores []float64, limit int) []contracts.ToolID {
	var found []int
	for i, s := range scores {
		if s > 0 {
			scores[i] = rounded(s)
			found = append(found, i)
		}
	}

	slices.SortFunc(found, func(a, b int) int {
		return cmp.Or(cmp.Compare(scores[b], scores[a]), cmp.Compare(r.ids[a], r.ids[b]))
	})
	ids := make([]contracts.ToolID, 0, limit)
	for _, i := range found[:min(limit, len(found))] {
		ids = append(ids, r.ids[i])
	}

	return ids
}

// rounded rounds a positive number to six significant digits.
func rounded(x float64) float64 {
	scale := math.Pow(10, 5-math.Floor(math.Log10(x)))
	if math.IsInf(scale, 0) {
		return x
	}
	return math.Round(x*scale) / scale
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
