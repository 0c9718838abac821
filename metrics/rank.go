package metrics

import (
	"cmp"
	"slices"
)

// Scored is one retrieved document (for us, a tool) with its score.
type Scored struct {
	ID    string
	Score float64
}

// Rank sorts results in place into the order in which trec_eval 9.0.7 evaluates
// them: by score, highest first, and among equal scores by id in descending
// byte order. trec_eval keeps a score as a 32-bit float, so two scores that
// differ only beyond that precision are equal here too.
//
// Whatever order the results came in is lost: a list whose order means more
// than its scores say must not go through it.
func Rank(results []Scored) {
	slices.SortFunc(results, func(a, b Scored) int {
		if c := cmp.Compare(float32(b.Score), float32(a.Score)); c != 0 {
			return c
		}
		return cmp.Compare(b.ID, a.ID)
	})
}

// IDs returns the ids of a ranked list, best first.
func IDs(ranked []Scored) []string {
	ids := make([]string, len(ranked))
	for i, r := range ranked {
		ids[i] = r.ID
	}
	return ids
}
