package trec

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
)

// qrel is one line of a qrels file, "topic iteration document relevance"; the
// iteration is ignored. A negative relevance means pooled and not judged.
type qrel struct {
	topic     string
	document  string
	relevance int
}

// Qrels holds the judgements: topic to document to relevance.
type Qrels map[string]map[string]int

// walkQrels calls yield with each line and ends with the first error.
func walkQrels(l *lines, yield func(qrel, error) bool) {
	names := make(interned)
	for {
		fields, err := l.next()
		if errors.Is(err, io.EOF) {
			return
		}
		var q qrel
		if err == nil {
			q, err = parseQrel(l, fields, names)
		}
		if !yield(q, err) || err != nil {
			return
		}
	}
}

func parseQrel(l *lines, fields [][]byte, names interned) (qrel, error) {
	if len(fields) != 4 {
		return qrel{}, l.errorf(fmt.Sprintf("%s instead of 4 fields", count(fields)), `write "topic 0 document relevance"`)
	}
	relevance, err := strconv.ParseInt(string(fields[3]), 10, 32)
	if err != nil {
		return qrel{}, l.errorf(fmt.Sprintf("relevance %s is not a whole number", quote(fields[3])), "write 0 for not relevant, 1, 2, ... for relevant")
	}
	return qrel{names.of(fields[0]), names.of(fields[2]), int(relevance)}, nil
}

// ReadQrels reads a whole qrels file. A document that is judged twice for a
// topic is an error. file names the file in errors, which are *LineError unless
// reading itself failed.
func ReadQrels(file string, r io.Reader) (Qrels, error) {
	qrels := make(Qrels)
	l := newLines(file, r)
	var failed error
	walkQrels(l, func(q qrel, err error) bool {
		if err != nil {
			failed = err
			return false
		}
		judged := qrels[q.topic]
		if judged == nil {
			judged = make(map[string]int)
			qrels[q.topic] = judged
		}
		if _, twice := judged[q.document]; twice {
			failed = l.errorf(fmt.Sprintf("document %q is judged twice for topic %q", q.document, q.topic), "keep one of the lines")
			return false
		}
		judged[q.document] = q.relevance
		return true
	})
	if failed != nil {
		return nil, failed
	}
	return qrels, nil
}

// Topics lists the topics in byte order, the order of trec_eval's output.
func (q Qrels) Topics() []string { return slices.Sorted(maps.Keys(q)) }

// WriteQrels writes judgements as a qrels file, in byte order of topic and
// document.
func WriteQrels(w io.Writer, qrels Qrels) error {
	out := bufio.NewWriter(w)
	for _, topic := range qrels.Topics() {
		for _, document := range slices.Sorted(maps.Keys(qrels[topic])) {
			if err := checkNames(topic, document); err != nil {
				return err
			}
			fmt.Fprintf(out, "%s 0 %s %d\n", topic, document, qrels[topic][document])
		}
	}
	return out.Flush()
}

// interned keeps one string for each distinct name: documents come back in
// topic after topic.
type interned map[string]string

func (in interned) of(name []byte) string {
	if s, ok := in[string(name)]; ok {
		return s
	}
	s := string(name)
	in[s] = s
	return s
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

func count(fields [][]byte) string {
	switch len(fields) {
	case 1:
		return "1 field"
	case len(lines{}.fields):
		return "more"
	}
	return fmt.Sprintf("%d fields", len(fields))
}
