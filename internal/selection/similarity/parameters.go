package similarity

import (
	"cmp"
	"encoding/json"
	"slices"
)

// parameter is a top-level property of a tool's input schema.
type parameter struct {
	name, description string
	required          bool
}

// parametersOf returns the properties of an input schema, sorted by name. A
// schema that is absent or not an object has none.
func parametersOf(schema json.RawMessage) []parameter {
	var s struct {
		Properties map[string]json.RawMessage `json:"properties"`
		Required   []string                   `json:"required"`
	}
	if json.Unmarshal(schema, &s) != nil {
		return nil
	}

	list := make([]parameter, 0, len(s.Properties))
	for name, raw := range s.Properties {
		var p struct {
			Description string `json:"description"`
		}
		_ = json.Unmarshal(raw, &p) // a property may be true or false
		list = append(list, parameter{name, p.Description, slices.Contains(s.Required, name)})
	}

	slices.SortFunc(list, func(a, b parameter) int { return cmp.Compare(a.name, b.name) })
	return list
}

// parameterMatrix compares the names of parameters by their Jaccard index
// (Jaccard 1901): the number of names that both tools have, divided by the
// number of names that either has. Two tools without parameters score 1.
func parameterMatrix(all [][]parameter) *Matrix {
	ids := map[string]int{}
	sets := make([][]int, len(all))
	for i, list := range all {
		for _, p := range list {
			id, ok := ids[p.name]
			if !ok {
				id = len(ids)
				ids[p.name] = id
			}

			sets[i] = append(sets[i], id)
		}

		slices.Sort(sets[i])
	}

	m := newMatrix(len(all))
	for i := range sets {
		row := m.row(i)
		for j := range row {
			row[j] = float32(jaccard(sets[i], sets[j]))
		}
	}

	return m
}

// jaccard returns the Jaccard index of two sorted sets, 1 for two empty ones.
func jaccard[T cmp.Ordered](a, b []T) float64 {
	if len(a) == 0 && len(b) == 0 {
		return 1
	}
	both := len(intersect(a, b))
	return float64(both) / float64(len(a)+len(b)-both)
}

// intersect returns the common elements of two sorted sets.
func intersect[T cmp.Ordered](a, b []T) []T {
	var both []T
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch c := cmp.Compare(a[i], b[j]); {
		case c < 0:
			i++
		case c > 0:
			j++
		default:
			both = append(both, a[i])
			i++
			j++
		}
	}

	return both
}
