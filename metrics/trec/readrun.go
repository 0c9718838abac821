package trec

import (
	"cmp"
	"io"
	"slices"

	"github.com/touchstone-eval/touchstone/metrics"
)

// ReadRun reads a whole run file, with lines "topic iteration document rank
// score tag". It returns the results of each topic in the order of trec_eval:
// by score, best first, and equal scores by descending document id. The rank
// and the order of the lines are ignored. A document that occurs twice in a
// topic is an error. file names the file in errors, which are *LineError unless
// reading itself failed.
func ReadRun(file string, r io.Reader) (map[string][]metrics.Scored, error) {
	t, err := readText(file, r)
	if err != nil {
		return nil, err
	}
	defer t.release()
	found := make(map[string][]entry)
	var topic string
	p := parser{text: t}
	p.begin = func(name []byte) []entry {
		topic = string(name)
		return found[topic]
	}
	p.done = func(results []entry, _, _ int) { found[topic] = results }
	if p.block(0, len(t.data)); p.failed != nil {
		return nil, p.failed.at(t, uint64(p.failedAt))
	}
	run := make(map[string][]metrics.Scored, len(found))
	var twice *LineError
	for topic, results := range found {
		if (&finder{text: t}).find(results, nil) != nil {
			twice = firstError(twice, explainTwice(t, topic, results))
			continue
		}
		list := make([]metrics.Scored, len(results))
		for i, e := range results {
			list[i] = metrics.Scored{ID: string(t.nameAt(e.place)), Score: float64(e.score)}
		}
		slices.SortFunc(list, func(a, b metrics.Scored) int {
			return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(b.ID, a.ID))
		})
		run[topic] = list
	}
	if twice != nil {
		return nil, twice
	}
	return run, nil
}
