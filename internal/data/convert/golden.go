package convert

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/base/readlimit"
	"github.com/touchstone-eval/touchstone/metrics/trec"
)

// maxRelevance is the highest relevance in a golden set.
const maxRelevance = 2

// Topic is a query of a TREC collection.
type Topic struct {
	ID   string
	Text string
}

// ReadTopics reads a file with one topic per line: its id, a tab, and its text.
// file is its name for errors.
func ReadTopics(file string, r io.Reader) ([]Topic, error) {
	in := bufio.NewScanner(r)
	in.Buffer(nil, 1<<20)
	var topics []Topic
	seen := make(map[string]int)
	number := 0
	for in.Scan() {
		number++
		line := strings.TrimRight(in.Text(), "\r")
		if number == 1 {
			line = strings.TrimPrefix(line, readlimit.Mark)
		}

		if strings.TrimSpace(line) == "" {
			continue
		}

		id, text, ok := strings.Cut(line, "\t")
		id, text = strings.TrimSpace(id), strings.TrimSpace(text)
		bad := func(message, remedy string) error {
			return &trec.LineError{File: file, Line: number, Message: message, Remedy: remedy}
		}
		switch {
		case !ok || id == "" || text == "":
			return nil, bad("the line is not a topic id and a text", "write the id, a tab and the text")
		case strings.ContainsAny(id, blanks):
			return nil, bad(fmt.Sprintf("the topic id %q contains white space", id),
				"put a tab between the id and the text")
		case seen[id] > 0:
			return nil, bad(fmt.Sprintf("topic %q is already in line %d", id, seen[id]), "keep one of the lines")
		}

		seen[id] = number
		topics = append(topics, Topic{id, text})
	}

	if err := in.Err(); err != nil {
		return nil, fmt.Errorf("cannot read %s after line %d: %w; check that it is a text file with one topic per line",
			file, number, err)
	}

	return topics, nil
}

// GoldenSet makes a golden set over a corpus from judgements and the texts of
// their topics, in the order of topics. The documents must be tools of the
// corpus. A negative relevance is skipped, because it means that the document
// was not judged. Topics without a judgement are left out and returned as
// unjudged.
func GoldenSet(corpus contracts.Corpus, qrels trec.Qrels, topics []Topic) (golden contracts.GoldenSet,
	unjudged []string, err error) {
	known := make(map[contracts.ToolID]bool, len(corpus.Tools))
	for _, t := range corpus.Tools {
		known[t.ToolID] = true
	}

	golden.CorpusVersion = corpus.Version
	texts := make(map[string]bool, len(topics))
	for _, t := range topics {
		texts[t.ID] = true
		q := contracts.Query{ID: t.ID, Query: t.Text}
		judged := slices.SortedFunc(slices.Values(qrels[t.ID]),
			func(a, b trec.Judgement) int { return cmp.Compare(a.Document, b.Document) })
		for _, j := range judged {
			document, relevance, tool := j.Document, j.Relevance, unescape(j.Document)
			switch {
			case relevance < 0:
				continue
			case relevance > maxRelevance:
				return golden, nil, fmt.Errorf("topic %s: %s has relevance %d, and a golden set allows 0, 1 and 2; "+
					"map higher values to 2 first", t.ID, document, relevance)
			case !known[tool]:
				return golden, nil, fmt.Errorf("topic %s: %s is not a tool of corpus %s; documents must be tool "+
					"ids, server:tool", t.ID, document, corpus.Version)
			}

			q.Labels = append(q.Labels, contracts.Label{ToolID: tool, Relevance: relevance})
		}

		if len(q.Labels) == 0 {
			unjudged = append(unjudged, t.ID)
			continue
		}

		golden.Queries = append(golden.Queries, q)
	}

	for _, id := range qrels.Topics() {
		if !texts[id] {
			return golden, nil, fmt.Errorf("topic %s has judgements but no text; add a line for it to the topics", id)
		}
	}

	if len(golden.Queries) == 0 {
		return golden, nil, fmt.Errorf("no topic has both a judgement and a text; check that the files belong together")
	}

	return golden, unjudged, nil
}
