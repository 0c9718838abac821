package engine

import (
	"maps"
	"slices"

	"github.com/touchstone-eval/touchstone/cache"
)

// reread compares what the results of the run depend on with what is there now, and names what differs. A list is
// compared when its result is found or made, so that two stages may have read two versions of a file that changed in
// between.
func (r *run) reread() []SourceChange {
	type question struct{ use, path string }
	states := map[question]string{}
	state := func(use, path string) string { // lists have many paths in common
		q := question{use, path}
		if _, known := states[q]; !known {
			states[q] = readState(r.Index, use, path)
		}
		return states[q]
	}

	became := map[string]Became{}
	compared := map[cache.Digest]bool{}
	for _, o := range r.outcomes {
		if !o.written() || !o.recorded() || compared[o.reads] {
			continue
		}

		compared[o.reads] = true
		changed, _ := changedReads(r.Store, o.reads, state) // the next run says what is wrong with a list
		for _, c := range changed {
			became[c.Name] = c.How
		}
	}

	var changes []SourceChange
	for _, path := range slices.Sorted(maps.Keys(became)) {
		changes = append(changes, SourceChange{path, became[path]})
	}
	return changes
}
