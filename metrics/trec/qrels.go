package trec

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/bits"
	"slices"
	"strconv"
)

// Qrels holds the judgements of each topic.
type Qrels map[string][]Judgement

// Judgement is the relevance of a document. A negative relevance means pooled
// but not judged.
type Judgement struct {
	Document  string
	Relevance int
}

// ReadQrels reads a whole qrels file, with lines "topic iteration document
// relevance". The iteration is ignored. A document that is judged twice for a
// topic is an error. file names the file in errors, which are *LineError unless
// reading itself failed.
func ReadQrels(file string, r io.Reader) (Qrels, error) {
	t, err := readText(file, r)
	if err != nil {
		return nil, err
	}
	defer t.release()
	qrels := make(Qrels)
	var topic string
	var judged []Judgement // of the topic
	if err := walkQrels(t, func(q qrel) {
		if string(q.topic) != topic {
			if topic != "" {
				qrels[topic] = judged
			}
			topic = string(q.topic)
			judged = qrels[topic]
		}
		judged = append(judged, q.judgement)
	}); err != nil {
		return nil, err
	}
	if topic != "" {
		qrels[topic] = judged
	}
	var names nameTable
	for _, judged := range qrels {
		if judgedTwice(judged, &names) {
			return nil, explainJudgedTwice(t)
		}
	}
	return qrels, nil
}

// qrel is one line of a qrels file.
type qrel struct {
	place     int
	topic     []byte
	judgement Judgement
}

// qrelWalker passes on the lines of a qrels file.
type qrelWalker struct {
	text   *text
	names  string // the text
	yield  func(qrel)
	window window
	failed *LineError
}

// walkQrels calls yield with each line and stops at the first invalid one.
func walkQrels(t *text, yield func(qrel)) error {
	w := &qrelWalker{text: t, names: string(t.data), yield: yield}
	if w.window.walk(t.data, 0, len(t.data), w); w.failed != nil {
		return w.failed
	}
	return nil
}

// plain reads lines of four fields, separated by one space or tab, whose last
// field is a digit.
func (w *qrelWalker) plain(at, start int) int {
	data := w.window.data
	for at+64 <= len(data) {
		line := (*[64]byte)(data[at:])
		spaces := w.window.from(at)
		after1 := spaces & (spaces - 1)
		after2 := after1 & (after1 - 1)
		after3 := after2 & (after2 - 1)
		if after3 == 0 {
			break
		}
		topic := bits.TrailingZeros64(spaces)
		iteration := bits.TrailingZeros64(after1)
		document := bits.TrailingZeros64(after2)
		end := bits.TrailingZeros64(after3)
		relevance := line[(end-1)&63] - '0'
		spaces &^= after3 & (after3 - 1)
		if !isGap(line[topic&63]) || !isGap(line[iteration&63]) || !isGap(line[document&63]) || line[end&63] != '\n' ||
			spaces&(spaces<<1|1) != 0 || end != document+2 || relevance > 9 {
			break
		}
		name := w.names[start+at+iteration+1 : start+at+document]
		w.yield(qrel{start + at, line[:topic&63], Judgement{name, int(relevance)}})
		at += end + 1
	}
	return at
}

// careful reads a line of any form.
func (w *qrelWalker) careful(at int) (next int, ok bool) {
	line, next := w.text.lineFrom(at)
	var fields [manyFields]span
	found := splitFields(line, fields[:])
	if found == 0 && checkLine(line) == nil {
		return next, true
	}
	relevance, err := parseRelevance(line, fields[:found])
	if err != nil {
		w.failed = err.at(w.text, uint64(at))
		return next, false
	}
	name := w.names[at+fields[2].start : at+fields[2].end]
	w.yield(qrel{at, fields[0].of(line), Judgement{name, relevance}})
	return next, true
}

func parseRelevance(line []byte, fields []span) (int, *LineError) {
	if err := checkLine(line); err != nil {
		return 0, err
	}
	if len(fields) != 4 {
		return 0, wrong(count(len(fields))+" instead of 4 fields", `write "topic 0 document relevance"`)
	}
	text := fields[3].of(line)
	relevance, err := strconv.ParseInt(string(text), 10, 32)
	if err != nil {
		return 0, wrong(fmt.Sprintf("relevance %s is not a whole number", quote(text)), "write 0 for not relevant, 1, 2, ... for relevant")
	}
	return int(relevance), nil
}

// judgedTwice reports whether a document occurs twice among judgements.
func judgedTwice(judged []Judgement, names *nameTable) bool {
	names.reset(len(judged))
	for i, j := range judged {
		hash := hashName([]byte(j.Document))
		for earlier := names.put(hash, uint32(i+1)); earlier != 0; earlier = names.put(hash, uint32(i+1)) {
			if judged[earlier-1].Document == j.Document {
				return true
			}
			hash = rehash(hash)
		}
	}
	return false
}

// explainJudgedTwice returns the error for the first line that judges a
// document again.
func explainJudgedTwice(t *text) error {
	seen := make(map[[2]string]bool)
	var twice *LineError
	err := walkQrels(t, func(q qrel) {
		key := [2]string{string(q.topic), q.judgement.Document}
		if seen[key] && twice == nil {
			twice = wrong(fmt.Sprintf("document %q is judged twice for topic %q", key[1], key[0]), "keep one of the lines").at(t, uint64(q.place))
		}
		seen[key] = true
	})
	if err != nil {
		return err
	}
	return twice
}

// Topics lists the topics in byte order, the order of trec_eval's output.
func (q Qrels) Topics() []string { return slices.Sorted(maps.Keys(q)) }

// WriteQrels writes judgements as a qrels file, in byte order of topic and
// document.
func WriteQrels(w io.Writer, qrels Qrels) error {
	out := bufio.NewWriter(w)
	for _, topic := range qrels.Topics() {
		byDocument := func(a, b Judgement) int { return cmp.Compare(a.Document, b.Document) }
		for _, j := range slices.SortedFunc(slices.Values(qrels[topic]), byDocument) {
			if err := checkNames(topic, j.Document); err != nil {
				return err
			}
			fmt.Fprintf(out, "%s 0 %s %d\n", topic, j.Document, j.Relevance)
		}
	}
	return out.Flush()
}

// checkNames refuses names that a TREC file cannot hold.
func checkNames(names ...string) error {
	for _, name := range names {
		if name == "" {
			return errors.New("a topic or document has an empty id, which a TREC file cannot hold; give it one")
		}
		for i := range len(name) {
			if isSpace(name[i]) || name[i] == 0 {
				return fmt.Errorf("the id %q holds white space, which a TREC file cannot; rename it", name)
			}
		}
	}
	return nil
}
