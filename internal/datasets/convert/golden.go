package convert

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/metrics/trec"
)

// maxRelevance is the highest relevance that a golden set knows.
const maxRelevance = 2

// Topic is what a searcher asked for.
type Topic struct {
	ID   string
	Text string
}

// ReadTopics reads a file of topics, one a line: its id, a tab, its text. file
// names it in errors.
func ReadTopics(file string, r io.Reader) ([]Topic, error) {
	in := bufio.NewScanner(r)
	in.Buffer(nil, 1<<20)
	var topics []Topic
	seen := make(map[string]int)
	number := 0
	for in.Scan() {
		number++
		line := strings.TrimRight(in.Text(), "\r")
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
			return nil, bad("no topic id and text", "write the id, a tab and the text")
		case strings.ContainsAny(id, blanks):
			return nil, bad(fmt.Sprintf("the topic id %q holds white space", id), "put a tab between the id and the text")
		case seen[id] > 0:
			return nil, bad(fmt.Sprintf("topic %q stands in line %d already", id, seen[id]), "keep one of the lines")
		}
		seen[id] = number
		topics = append(topics, Topic{id, text})
	}
	if err := in.Err(); err != nil {
		return nil, fmt.Errorf("cannot read %s after line %d: %w; check that it is a text file with one topic a line", file, number, err)
	}
	return topics, nil
}

// GoldenSet makes a golden set over a corpus out of judgements and the texts
// of their topics, in the order of topics. Documents have to be tools of the
// corpus. A negative relevance is left out, as it means that nobody judged.
// Topics without any judgement are left out and returned.
func GoldenSet(corpus contracts.Corpus, qrels trec.Qrels, topics []Topic) (golden contracts.GoldenSet, unjudged []string, err error) {
	known := make(map[contracts.ToolID]bool, len(corpus.Tools))
	for _, t := range corpus.Tools {
		known[t.ToolID] = true
	}
	golden.CorpusVersion = corpus.Version
	texts := make(map[string]bool, len(topics))
	for _, t := range topics {
		texts[t.ID] = true
		q := contracts.Query{ID: t.ID, Query: t.Text}
		judged := slices.SortedFunc(slices.Values(qrels[t.ID]), func(a, b trec.Judgement) int { return cmp.Compare(a.Document, b.Document) })
		for _, j := range judged {
			document, relevance, tool := j.Document, j.Relevance, unescape(j.Document)
			switch {
			case relevance < 0:
				continue
			case relevance > maxRelevance:
				return golden, nil, fmt.Errorf("topic %s: %s has relevance %d and a golden set knows 0, 1 and 2; map the higher ones to 2 first", t.ID, document, relevance)
			case !known[tool]:
				return golden, nil, fmt.Errorf("topic %s: %s is no tool of corpus %s; documents have to be tool ids, server:tool", t.ID, document, corpus.Version)
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
			return golden, nil, fmt.Errorf("topic %s is judged and has no text; add a line for it to the topics", id)
		}
	}
	if len(golden.Queries) == 0 {
		return golden, nil, fmt.Errorf("no topic is both judged and given a text; check that the files belong together")
	}
	return golden, unjudged, nil
}
