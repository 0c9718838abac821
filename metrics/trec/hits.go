package trec

import (
	"cmp"
	"slices"
	"sort"

	"github.com/touchstone-eval/touchstone/metrics"
)

// hits tells where the judged documents stand in the ranked list of a topic,
// without making the list: few of thousands of results are judged, and the
// rank of one is the number of results before it. judged is a table to work
// with.
func (run *Run) hits(topic string, labels map[string]int, judged *marks) []metrics.Hit {
	judged.forget()
	for id, relevance := range labels {
		if number, known := run.documents.lookup([]byte(id)); known && relevance >= 0 {
			judged.set(number, uint32(relevance))
		}
	}
	var found []entry
	for _, entries := range run.topics[topic] {
		for _, e := range entries {
			if _, ok := judged.get(e.document); ok {
				found = append(found, e)
			}
		}
	}
	if len(found) == 0 {
		return nil
	}
	slices.SortFunc(found, run.order)
	// before[i] counts the results that stand before found[i] and not before
	// found[i-1].
	before := make([]int, len(found)+1)
	for _, entries := range run.topics[topic] {
		for _, e := range entries {
			before[sort.Search(len(found), func(i int) bool { return run.order(e, found[i]) < 0 })]++
		}
	}
	hits := make([]metrics.Hit, len(found))
	rank := 1
	for i, e := range found {
		rank += before[i]
		relevance, _ := judged.get(e.document)
		hits[i] = metrics.Hit{Rank: rank, Relevance: int(relevance)}
	}
	return hits
}

// order compares two results of a topic as metrics.Rank does.
func (run *Run) order(a, b entry) int {
	if c := cmp.Compare(b.score, a.score); c != 0 || a.document == b.document {
		return c
	}
	return cmp.Compare(run.names[b.document], run.names[a.document])
}
