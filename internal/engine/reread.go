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
	became := map[string]Became{}
	compared := map[cache.Digest]bool{}
	for _, o := range r.outcomes {
		if o.State != Hit && o.State != Ran || !o.recorded() || compared[o.reads] {
			continue
		}

		compared[o.reads] = true
		text, err := r.Store.Bytes(o.reads)
		if err != nil {
			continue // the next run says so
		}

		entries, _ := decodeReads(text) // likewise
		for _, e := range entries {
			q := question{e.use, e.path}
			now, known := states[q]
			if !known {
				now = readState(r.Index, e.use, e.path)
				states[q] = now
			}

			if now != e.state {
				became[e.path] = becameOf(e.state, now)
			}
		}
	}

	var changes []SourceChange
	for _, path := range slices.Sorted(maps.Keys(became)) {
		changes = append(changes, SourceChange{path, became[path]})
	}
	return changes
}
