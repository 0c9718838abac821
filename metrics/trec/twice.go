package trec

import (
	"cmp"
	"fmt"
	"slices"
)

// pair is a document that stands twice in a topic: two places in the file.
type pair struct{ second, first uint64 }

// explainTwice makes an error of the first document that stands twice among
// the results of a topic that has one.
func explainTwice(t *text, topic string, results []entry) *LineError {
	results = slices.SortedFunc(slices.Values(results), func(a, b entry) int { return cmp.Compare(a.place, b.place) })
	twice := (&finder{text: t}).find(results, nil)
	message := fmt.Sprintf("document %q stands twice in topic %q, first in line %d", t.nameAt(twice.second), topic, t.lineAt(twice.first))
	return wrong(message, "keep one of the lines").at(t, twice.second)
}

// firstError gives the error that comes first in its file; nil is none.
func firstError(a, b *LineError) *LineError {
	if a == nil || b != nil && b.Line < a.Line {
		return b
	}
	return a
}
