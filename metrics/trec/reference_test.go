package trec

import (
	"cmp"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/touchstone-eval/touchstone/metrics"
)

// rank sorts results in place into the order in which trec_eval 9.0.7 evaluates
// them: by score, highest first, and equal scores by id in descending byte
// order. trec_eval keeps a score as a 32-bit float, so two scores that differ
// only beyond that precision are equal here too.
func rank(results []metrics.Scored) {
	slices.SortFunc(results, func(a, b metrics.Scored) int {
		if c := cmp.Compare(float32(b.Score), float32(a.Score)); c != 0 {
			return c
		}
		return cmp.Compare(b.ID, a.ID)
	})
}

// idsOf returns the ids of a ranked list, best first.
func idsOf(ranked []metrics.Scored) []string {
	ids := make([]string, len(ranked))
	for i, r := range ranked {
		ids[i] = r.ID
	}
	return ids
}

// rankSimply reads a run in the simplest way and sorts each topic. The
// evaluation of large files is compared with it.
func rankSimply(text string) map[string][]metrics.Scored {
	topics := make(map[string][]metrics.Scored)
	for line := range strings.SplitSeq(text, "\n") {
		fields := strings.FieldsFunc(line, func(r rune) bool { return r < 0x80 && isSpace(byte(r)) })
		if len(fields) == 0 {
			continue
		}
		score, err := strconv.ParseFloat(fields[4], 64)
		if err != nil && !errors.Is(err, strconv.ErrRange) {
			panic(err)
		}
		topics[fields[0]] = append(topics[fields[0]], metrics.Scored{ID: fields[2], Score: score})
	}
	for _, results := range topics {
		rank(results)
	}
	return topics
}

// evaluateSimply evaluates ranked lists against judgements.
func evaluateSimply(topics map[string][]metrics.Scored, qrels Qrels, level int, measures []Measure) map[string][]float64 {
	figures := make(map[string][]float64)
	for id, ranked := range topics {
		if qrels[id] == nil {
			continue
		}
		judged := make(map[string]int)
		for _, j := range qrels[id] {
			judged[j.Document] = j.Relevance
		}
		figures[id] = figuresOf(metrics.EvaluateTopic(idsOf(ranked), judged, level), measures)
	}
	return figures
}

// checkRun evaluates a run only for its error.
func checkRun(file string, run io.Reader) error {
	_, err := Evaluate(nil, file, run, Options{})
	if errors.Is(err, ErrNoTopics) {
		return nil
	}
	return err
}
