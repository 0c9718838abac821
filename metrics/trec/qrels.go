package trec

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
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
	qrels := make(Qrels)
	seen := make(map[[2]string]bool) // topics and documents
	var topic string
	var twice *LineError
	err := eachLine(file, r, func(number int, fields [][]byte) *LineError {
		if len(fields) != 4 {
			return wrong(count(len(fields))+" instead of 4", `write "topic 0 document relevance"`)
		}

		relevance, err := strconv.ParseInt(string(fields[3]), 10, 32)
		if err != nil {
			return wrong(fmt.Sprintf("relevance %s is not a whole number", quote(fields[3])),
				"write 0 for not relevant, 1, 2, ... for relevant")
		}

		if string(fields[0]) != topic {
			topic = string(fields[0])
		}

		document := string(fields[2])
		if key := [2]string{topic, document}; !seen[key] {
			seen[key] = true
		} else if twice == nil {
			message := fmt.Sprintf("document %q is judged twice for topic %q", document, topic)
			twice = &LineError{file, number, message, "keep one of the lines"}
		}

		qrels[topic] = append(qrels[topic], Judgement{document, int(relevance)})
		return nil
	})
	if err != nil {
		return nil, err
	}

	if twice != nil {
		return nil, twice
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
