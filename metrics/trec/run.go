package trec

import (
	"bufio"
	"cmp"
	"fmt"
	"hash/maphash"
	"io"
	"iter"
	"maps"
	"math"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/touchstone-eval/touchstone/metrics"
)

// Run holds the results of one system.
type Run struct {
	// Tag is the name that the last line gives.
	Tag string

	documents *dictionary
	names     []string // of the documents, by number
	// topics holds the results of each topic, in the file's order and mostly
	// in one stretch.
	topics map[string][][]entry
}

// entry is one result, small because a run may have millions: its document by
// number, its score with the precision that trec_eval keeps, and where it was
// read.
type entry struct {
	document uint32
	score    float32
	line     uint32
}

// ReadRun reads a whole run file, with as many processors as there are. The
// lines of a topic need not stand together; a document that stands twice in
// one topic is an error. file names the file in errors, which are *LineError
// unless reading itself failed.
func ReadRun(file string, r io.Reader) (*Run, error) {
	return readRun(file, r, maxLine, runtime.GOMAXPROCS(0))
}

// readRun reads blocks of about the given size, each with one of the readers.
func readRun(file string, r io.Reader, size, readers int) (*Run, error) {
	blocks := make(chan block, readers)
	free := make(chan []byte, 2*readers)
	var stop atomic.Bool
	known := make([]*dictionary, readers)
	found := make([][]parsed, readers)
	seed := maphash.MakeSeed()
	var working sync.WaitGroup
	for i := range readers {
		known[i] = newDictionary(seed)
		working.Go(func() {
			for b := range blocks {
				p := parseBlock(file, b, known[i])
				p.reader = i
				found[i] = append(found[i], p)
				if p.err != nil {
					stop.Store(true)
				}
				select {
				case free <- b.text:
				default:
				}
			}
		})
	}
	// The blocks go out in order, so whatever stands before an error is read.
	readBlocks(file, r, size, free, func(b block) bool {
		blocks <- b
		return !stop.Load()
	})
	close(blocks)
	working.Wait()

	all := slices.Concat(found...)
	slices.SortFunc(all, func(a, b parsed) int { return cmp.Compare(a.index, b.index) })
	before := 0
	run := &Run{topics: make(map[string][][]entry)}
	for i := range all {
		p := &all[i]
		if p.err != nil {
			p.err.Line += before
			return nil, p.err
		}
		if p.failed != nil {
			return nil, p.failed(before + p.lines)
		}
		for _, piece := range p.pieces {
			run.topics[piece.topic] = append(run.topics[piece.topic], piece.entries)
		}
		if len(p.pieces) > 0 {
			run.Tag = p.tag
		}
		p.before = before
		before += p.lines
	}
	run.documents = known[0]
	number := run.documents.unite(known)
	run.names = run.documents.all()
	share(len(all), func(blocks iter.Seq[int]) {
		for i := range blocks {
			numbers, before := number[all[i].reader], uint32(all[i].before)
			for _, piece := range all[i].pieces {
				for j := range piece.entries {
					e := &piece.entries[j]
					e.document = numbers[e.document]
					e.line += before
				}
			}
		}
	})
	return run, run.checkTwice(file)
}

// checkTwice finds a document that stands twice in a topic; of several, the
// one that comes first in the file.
func (run *Run) checkTwice(file string) error {
	var mu sync.Mutex
	var first *LineError
	topics := run.Topics()
	share(len(topics), func(numbers iter.Seq[int]) {
		lines := run.newMarks()
		for i := range numbers {
			lines.forget()
			e, earlier, twice := run.firstTwice(topics[i], lines)
			if !twice {
				continue
			}
			mu.Lock()
			if first == nil || int(e.line) < first.Line {
				first = &LineError{file, int(e.line), fmt.Sprintf("document %q stands twice in topic %q, first in line %d",
					run.names[e.document], topics[i], earlier), "keep one of the lines"}
			}
			mu.Unlock()
		}
	})
	if first == nil {
		return nil
	}
	return first
}

// firstTwice finds the first result of a topic whose document stands before
// it, and where.
func (run *Run) firstTwice(topic string, lines *marks) (again entry, earlier uint32, twice bool) {
	for _, entries := range run.topics[topic] {
		for _, e := range entries {
			if line, ok := lines.get(e.document); ok {
				return e, line, true
			}
			lines.set(e.document, e.line)
		}
	}
	return entry{}, 0, false
}

// Topics lists the topics in byte order, the order of trec_eval's output.
func (run *Run) Topics() []string { return slices.Sorted(maps.Keys(run.topics)) }

// Ranked gives the results of a topic, best first. It appends them to buffer,
// which may be nil, so that a caller can use one for all topics.
func (run *Run) Ranked(topic string, buffer []metrics.Scored) []metrics.Scored {
	start := len(buffer)
	for _, entries := range run.topics[topic] {
		for _, e := range entries {
			buffer = append(buffer, metrics.Scored{ID: run.names[e.document], Score: float64(e.score)})
		}
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
