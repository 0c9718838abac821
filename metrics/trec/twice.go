package trec

import (
	"cmp"
	"fmt"
	"slices"
)

// pair is a document that occurs twice in a topic: two places in the file.
type pair struct{ second, first uint64 }

// explainTwice returns the error for the first document that occurs twice among
// the results of a topic.
func explainTwice(t *text, topic string, results []entry) *LineError {
	results = slices.SortedFunc(slices.Values(results), func(a, b entry) int { return cmp.Compare(a.place, b.place) })
	twice := (&finder{text: t}).find(results, nil)
	message := fmt.Sprintf("document %q occurs twice in topic %q, first in line %d", t.nameAt(twice.second), topic, t.lineAt(twice.first))
	return wrong(message, "keep one of the lines").at(t, twice.second)
}

// firstError returns the error that comes first in its file, or nil.
func firstError(a, b *LineError) *LineError {
	if a == nil || b != nil && b.Line < a.Line {
		return b
	}
	return a
}
