package trec

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/touchstone-eval/touchstone/metrics"
)

// A line of a run file is "topic Q0 document rank score tag". The rank is
// ignored, as trec_eval ignores it: the scores alone order a run. Fields after
// the tag are ignored too.

// walkResults calls yield with the fields of each line, which live until it
// returns, and the score among them. It ends with the first error.
func walkResults(l *lines, yield func([][]byte, float64, error) bool) {
	for {
		fields, err := l.next()
		if errors.Is(err, io.EOF) {
			return
		}
		var score float64
		if err == nil {
			score, err = parseScore(l, fields)
		}
		if !yield(fields, score, err) || err != nil {
			return
		}
	}
}

func parseScore(l *lines, fields [][]byte) (float64, error) {
	if len(fields) < 6 {
		return 0, l.errorf(fmt.Sprintf("%s instead of 6", count(fields)), `write "topic Q0 document rank score tag"`)
	}
	score, err := strconv.ParseFloat(string(fields[4]), 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) || math.IsNaN(score) {
		return 0, l.errorf(fmt.Sprintf("score %s is not a number", quote(fields[4])), "write a decimal number, higher for better")
	}
	return score, nil
}

// Run holds the results of one system.
type Run struct {
	// Tag is the name that the last line gives.
	Tag string

	documents []string
	topics    map[string][]entry
}

// entry is one result, small because a run may have millions: its document by
// number, its score with the precision that trec_eval keeps, and where it was
// read.
type entry struct {
	document uint32
	score    float32
	line     uint32
}

// ReadRun reads a whole run file. The lines of a topic need not stand
// together; a document that stands twice in one topic is an error. file names
// the file in errors, which are *LineError unless reading itself failed.
func ReadRun(file string, r io.Reader) (*Run, error) {
	run := &Run{topics: make(map[string][]entry)}
	numbers := make(map[string]uint32)
	l := newLines(file, r)
	var failed error
	// The topic at hand and the tag are kept aside: most lines repeat those of
	// the line before, and looking them up again would dominate.
	current, entries := "", []entry(nil)
	walkResults(l, func(fields [][]byte, score float64, err error) bool {
		if err != nil {
			failed = err
			return false
		}
		if string(fields[0]) != current {
			run.topics[current] = entries
			current = string(fields[0])
			entries = run.topics[current]
		}
		number, known := numbers[string(fields[2])]
		if !known {
			number = uint32(len(run.documents))
			run.documents = append(run.documents, string(fields[2]))
			numbers[run.documents[number]] = number
		}
		entries = append(entries, entry{number, float32(score), uint32(l.number)})
		if string(fields[5]) != run.Tag {
			run.Tag = string(fields[5])
		}
		return true
	})
	if failed != nil {
		return nil, failed
	}
	run.topics[current] = entries
	delete(run.topics, "")
	return run, run.checkTwice(file)
}

// checkTwice finds a document that stands twice in a topic; of several, the
// one that comes first in the file.
func (run *Run) checkTwice(file string) error {
	var first *LineError
	for topic, entries := range run.topics {
		slices.SortFunc(entries, func(a, b entry) int {
			return cmp.Or(cmp.Compare(a.document, b.document), cmp.Compare(a.line, b.line))
		})
		for i := 1; i < len(entries); i++ {
			e := entries[i]
			if entries[i-1].document == e.document && (first == nil || int(e.line) < first.Line) {
				first = &LineError{file, int(e.line), fmt.Sprintf("document %q stands twice in topic %q, first in line %d",
					run.documents[e.document], topic, entries[i-1].line), "keep one of the lines"}
			}
		}
	}
	if first == nil {
		return nil
	}
	return first
}

// Topics lists the topics in byte order, the order of trec_eval's output.
func (run *Run) Topics() []string { return slices.Sorted(maps.Keys(run.topics)) }

// Ranked gives the results of a topic, best first. It appends them to buffer,
// which may be nil, so that a caller can use one for all topics.
func (run *Run) Ranked(topic string, buffer []metrics.Scored) []metrics.Scored {
	start := len(buffer)
	for _, e := range run.topics[topic] {
		buffer = append(buffer, metrics.Scored{ID: run.documents[e.document], Score: float64(e.score)})
	}
	metrics.Rank(buffer[start:])
	return buffer
}

// RunWriter writes a run file.
type RunWriter struct {
	out *bufio.Writer
	tag string
}

// NewRunWriter writes to w; tag names the system.
func NewRunWriter(w io.Writer, tag string) (*RunWriter, error) {
	if err := checkNames(tag); err != nil {
		return nil, err
	}
	return &RunWriter{bufio.NewWriter(w), tag}, nil
}

// Topic writes a ranked list, best first, so that trec_eval sees the very
// order of ranked. It looks at scores only, so they are written when they
// already say that order, each lower than the one before at trec_eval's
// precision, and are otherwise replaced by len(ranked), ..., 2, 1.
func (w *RunWriter) Topic(topic string, ranked []metrics.Scored) error {
	said := sayOrder(ranked)
	for i, result := range ranked {
		if err := checkNames(topic, result.ID); err != nil {
			return err
		}
		score := float64(len(ranked) - i)
		if said {
			score = result.Score
		}
		if _, err := fmt.Fprintf(w.out, "%s Q0 %s %d %s %s\n", topic, result.ID, i+1, strconv.FormatFloat(score, 'g', -1, 64), w.tag); err != nil {
			return err
		}
	}
	return nil
}

// Flush writes what is still held back. It has to be called at the end.
func (w *RunWriter) Flush() error { return w.out.Flush() }

func sayOrder(ranked []metrics.Scored) bool {
	for i, result := range ranked {
		if math.IsNaN(result.Score) || i > 0 && float32(result.Score) >= float32(ranked[i-1].Score) {
			return false
		}
	}
	return true
}
