package trec

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/touchstone-eval/touchstone/metrics"
)

// Result is one line of a run file, "topic Q0 document rank score tag". The
// rank is ignored, as trec_eval ignores it: the scores alone order a run.
type Result struct {
	Topic    string
	Document string
	Score    float64
	Tag      string
}

// ResultLines reads a run file line by line. file names it in errors, which
// are *LineError unless reading itself failed; the walk ends with the first.
// Fields after the tag are ignored.
func ResultLines(file string, r io.Reader) iter.Seq2[Result, error] {
	return func(yield func(Result, error) bool) {
		walkResults(newLines(file, r), yield)
	}
}

func walkResults(l *lines, yield func(Result, error) bool) {
	names := make(interned)
	for {
		fields, err := l.next()
		if errors.Is(err, io.EOF) {
			return
		}
		var result Result
		if err == nil {
			result, err = parseResult(l, fields, names)
		}
		if !yield(result, err) || err != nil {
			return
		}
	}
}

func parseResult(l *lines, fields [][]byte, names interned) (Result, error) {
	if len(fields) < 6 {
		return Result{}, l.errorf(fmt.Sprintf("%s instead of 6", count(fields)), `write "topic Q0 document rank score tag"`)
	}
	score, err := strconv.ParseFloat(string(fields[4]), 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) || math.IsNaN(score) {
		return Result{}, l.errorf(fmt.Sprintf("score %s is not a number", quote(fields[4])), "write a decimal number, higher for better")
	}
	return Result{names.of(fields[0]), names.of(fields[2]), score, names.of(fields[5])}, nil
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
// together; a document that stands twice in one topic is an error.
func ReadRun(file string, r io.Reader) (*Run, error) {
	run := &Run{topics: make(map[string][]entry)}
	numbers := make(map[string]uint32)
	l := newLines(file, r)
	var failed error
	// The topic at hand is kept aside: most runs have the lines of a topic
	// together, and a map assignment for each line would dominate.
	current, entries := "", []entry(nil)
	walkResults(l, func(result Result, err error) bool {
		if err != nil {
			failed = err
			return false
		}
		if result.Topic != current {
			run.topics[current] = entries
			current, entries = result.Topic, run.topics[result.Topic]
		}
		number, known := numbers[result.Document]
		if !known {
			number = uint32(len(run.documents))
			numbers[result.Document] = number
			run.documents = append(run.documents, result.Document)
		}
		entries = append(entries, entry{number, float32(result.Score), uint32(l.number)})
		run.Tag = result.Tag
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
	metrics.RankInPlace(buffer[start:])
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
