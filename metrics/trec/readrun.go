package trec

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/touchstone-eval/touchstone/metrics"
)

// ReadRun reads a whole run file, with lines "topic iteration document rank
// score tag". It returns the results of each topic in the order of trec_eval:
// by score, best first, and equal scores by descending document id. The rank
// and the order of the lines are ignored, and so are fields after the tag. A
// document that occurs twice in a topic is an error. file names the file in
// errors, which are *LineError unless reading itself failed.
func ReadRun(file string, r io.Reader) (map[string][]metrics.Scored, error) {
	found := make(map[string]*results)
	var name string
	var topic *results // of that name
	err := eachLine(file, r, func(number int, fields [][]byte) *LineError {
		if len(fields) < 6 {
			return wrong(count(len(fields))+" instead of 6", `write "topic Q0 document rank score tag"`)
		}

		score, ok := parseNumber(fields[4])
		if !ok {
			return wrong(fmt.Sprintf("score %s is not a number", quote(fields[4])),
				"write a decimal number, higher for better")
		}

		if topic == nil || string(fields[0]) != name {
			name = string(fields[0])
			if topic = found[name]; topic == nil {
				topic = new(results)
				found[name] = topic
			}
		}

		// trec_eval 9.0.7 keeps a score as a 32-bit float, so two scores that
		// differ only beyond that precision are equal here too.
		topic.list = append(topic.list, metrics.Scored{ID: string(fields[2]), Score: float64(float32(score))})
		topic.lines = append(topic.lines, number)
		return nil
	})
	if err != nil {
		return nil, err
	}

	if twice := firstTwice(file, found); twice != nil {
		return nil, twice
	}

	run := make(map[string][]metrics.Scored, len(found))
	for name, topic := range found {
		slices.SortFunc(topic.list, func(a, b metrics.Scored) int {
			if c := cmp.Compare(b.Score, a.Score); c != 0 {
				return c
			}

			return cmp.Compare(b.ID, a.ID)
		})
		run[name] = topic.list
	}

	return run, nil
}

// results are the results of a topic in file order, and their lines.
type results struct {
	list  []metrics.Scored
	lines []int
}

// firstTwice returns an error for the first line of the file with a document
// that its topic already has, or nil.
func firstTwice(file string, found map[string]*results) *LineError {
	var first *LineError
	seen := make(map[string]int) // lines by document
	for name, topic := range found {
		clear(seen)
		for i, result := range topic.list {
			line := topic.lines[i]
			if earlier, twice := seen[result.ID]; twice {
				if first == nil || line < first.Line {
					message := fmt.Sprintf("document %q occurs twice in topic %q, first in line %d", result.ID, name,
						earlier)
					first = &LineError{file, line, message, "keep one of the lines"}
				}

				break
			}

			seen[result.ID] = line
		}
	}

	return first
}

// parseNumber is strconv.ParseFloat, but a number out of range becomes infinite
// or 0. NaN is refused, and so are hexadecimal numbers and the underscores of
// Go's literals: C reads 1_000 as 1, and 0x10 as 16.
func parseNumber(text []byte) (float64, bool) {
	if bytes.ContainsAny(text, "_xX") {
		return 0, false
	}

	value, err := strconv.ParseFloat(string(text), 64)
	return value, (err == nil || errors.Is(err, strconv.ErrRange)) && !math.IsNaN(value)
}
