package trec

import (
	"iter"
	"slices"
)

// In most files the results of a topic are adjacent. The figures of such a
// topic are computed as soon as it was read, while all of it is in the
// processor's caches, and its results are not kept. The results of a topic that
// a block boundary cuts, or that appears again, are kept until the whole file
// was read.

// part is what one worker found of a topic.
type part struct {
	topic string
	// kept holds its results, in file order.
	kept []entry
	// figures belong to the results in the lines between two places, the only
	// ones that are not kept.
	figures  []float64
	from, to int
}

// worker reads blocks of a run in file order.
type worker struct {
	parser parser
	scorer scorer
	parts  map[string]*part
	part   *part // of the current topic
	isNew  bool  // whether part is new
	buffer []entry
	// start and end are the bounds of the current block.
	start, end int
}

func newWorker(t *text, s scorer) *worker {
	w := &worker{parser: parser{text: t}, scorer: s, parts: make(map[string]*part)}
	w.parser.begin, w.parser.done = w.begin, w.take
	w.scorer.finder.text = t
	return w
}

// read reads a block.
func (w *worker) read(start, end int) {
	w.start, w.end = start, end
	w.parser.block(start, end)
}

// begin returns the buffer for the results of a topic.
func (w *worker) begin(topic []byte) []entry {
	known := false
	if w.part, known = w.parts[string(topic)]; known {
		w.isNew = false
		return w.part.kept
	}
	w.isNew = true
	w.part = &part{topic: string(topic)}
	w.parts[w.part.topic] = w.part
	return w.buffer[:0]
}

// take receives the results of a topic from the parser.
func (w *worker) take(results []entry, from, to int) {
	if !w.isNew {
		w.part.kept = results
		return
	}
	w.buffer = results
	cut := from == w.start && from > 0 || to == w.end && to < len(w.parser.text.data)
	if !cut {
		if figures, ok := w.scorer.score(w.part.topic, results); ok {
			w.part.figures, w.part.from, w.part.to = figures, from, to
			return
		}
	}
	w.part.kept = slices.Clone(results)
}

// restore reads again the results that were not kept.
func (w *worker) restore(p *part) []entry {
	if p.from == p.to {
		return p.kept
	}
	var results []entry
	again := parser{text: w.parser.text}
	again.begin = func([]byte) []entry { return nil }
	again.done = func(found []entry, _, _ int) { results = found }
	again.block(p.from, p.to)
	return append(results, p.kept...)
}

// scoreRun computes the figures of every topic of a run, or none for topics
// without judgements. It reads blocks of about the given size in parallel.
func scoreRun(t *text, s scorer, size, workers int) (map[string][]float64, error) {
	places := t.blocks(size)
	all := make([]*worker, min(workers, len(places)-1))
	share(len(places)-1, len(all), func(i int, blocks iter.Seq[int]) {
		w := newWorker(t, s)
		all[i] = w
		for b := range blocks {
			if w.read(places[b], places[b+1]); w.parser.failed != nil {
				break
			}
		}
	})
	var failed *parser
	for _, w := range all {
		if p := &w.parser; p.failed != nil && (failed == nil || p.failedAt < failed.failedAt) {
			failed = p
		}
	}
	if failed != nil {
		return nil, failed.failed.at(t, uint64(failed.failedAt))
	}
	return scoreParts(all)
}

// scoreParts combines the results of the workers, and computes the figures that
// no single worker could.
func scoreParts(all []*worker) (map[string][]float64, error) {
	figures := make(map[string][]float64)
	parts := make(map[string][]*part)
	for _, w := range all {
		for topic, p := range w.parts {
			parts[topic] = append(parts[topic], p)
		}
	}
	var open [][]*part
	for topic, found := range parts {
		if len(found) == 1 && len(found[0].kept) == 0 {
			figures[topic] = found[0].figures
			continue
		}
		open = append(open, found)
	}
	made := make([][]float64, len(open))
	twice := make([]*LineError, len(open))
	share(len(open), len(all), func(i int, topics iter.Seq[int]) {
		w := all[i]
		for n := range topics {
			var results []entry
			for _, p := range open[n] {
				results = append(results, w.restore(p)...)
			}
			topic := open[n][0].topic
			var ok bool
			if made[n], ok = w.scorer.score(topic, results); !ok {
				twice[n] = explainTwice(w.parser.text, topic, results)
			}
		}
	})
	var first *LineError
	for n, found := range open {
		figures[found[0].topic] = made[n]
		first = firstError(first, twice[n])
	}
	if first != nil {
		return nil, first
	}
	return figures, nil
}
