package quality

import (
	"fmt"
	"math"
	"strings"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/base/tokenize"
)

// Golden describes a valid golden set over its corpus. data is the content of
// the file name.
func Golden(name string, data []byte, g contracts.GoldenSet, corpus contracts.Corpus) *Report {
	r := &Report{Tables: []Table{}, Findings: []Finding{}}
	words := make(map[contracts.ToolID]map[string]bool, len(corpus.Tools))
	for _, t := range corpus.Tools {
		words[t.ToolID] = wordSet(t.Tool + " " + t.Description)
	}

	kinds, languages, labels, splits, answers := counter{}, counter{}, counter{}, counter{}, counter{}
	right := map[contracts.ToolID]bool{}
	var overlaps []float64
	texts := make([]string, len(g.Queries))
	judged := 0
	for i, q := range g.Queries {
		texts[i] = q.Query
		for _, tag := range q.Tags {
			kinds[tag]++
		}

		if !q.Answerable() {
			kinds["expects none"]++
		}

		language := q.Language
		if language == "" {
			language = "en"
		}

		languages[language]++
		if split := g.Split(q.ID); split != "" {
			splits[split]++
		}

		relevant, overlap := 0, math.Inf(-1)
		for _, l := range q.Labels {
			labels[fmt.Sprintf("grade %d", l.Relevance)]++
			judged++
			if l.Relevance >= 1 {
				relevant++
				right[l.ToolID] = true
				overlap = max(overlap, overlapOf(q.Query, words[l.ToolID]))
			}
		}

		answers[answerCount(relevant)]++
		if relevant > 0 {
			overlaps = append(overlaps, overlap)
			if overlap >= borrowed {
				r.find("overlap", q.ID, "%.0f%% of its words occur in the name or description of a right tool",
					100*overlap)
			}
		}

		r.checkText(q.ID, q.Query)
	}

	n := len(g.Queries)
	r.Tables = append(r.Tables,
		Table{"size", []Row{{Name: "queries", Value: float64(n)}, {Name: "labels", Value: float64(judged)},
			{"tools that are right somewhere", float64(len(right)), share(len(right), len(corpus.Tools))}}},
		labels.table("labels by grade", judged), answers.table("queries by right tools", n),
		kinds.table("queries by kind", n), languages.table("queries by language", n),
		splits.table("queries by split", n),
		quantiles("share of a query's words in its right tool", overlaps))
	for _, p := range nearDuplicates(texts, likeness) {
		a, b := g.Queries[p.first].ID, g.Queries[p.second].ID
		r.find("near-duplicate", b, "its text resembles that of %s (%.2f)", a, p.resemblance)
		if g.Split(a) != g.Split(b) {
			r.find("leak", b, "it is in the split %s, and the query %s, which it resembles, in %s; remove one of "+
				"the two", g.Split(b), a, g.Split(a))
		}
	}

	checkRoundTrip(r, name, data, g)
	return r
}

func answerCount(relevant int) string {
	switch relevant {
	case 0:
		return "none"
	case 1:
		return "one"
	}
	return "several"
}

// borrowed is the share of its words from which a query counts as written from
// the description of its tool.
const borrowed = 0.8

// overlapOf is the share of the distinct words of a query that a tool's text
// has, without words that say little.
func overlapOf(query string, tool map[string]bool) float64 {
	set := wordSet(query)
	common := 0
	for w := range set {
		if tool[w] {
			common++
		}
	}
	return float64(common) / float64(max(1, len(set)))
}

// small are frequent words that say little.
var small = func() map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(`a all an and any are as at be been by can could did do does for from get had has have how i if in into is it its
		let me my no not of on or our out please should so some than that the their them then there these they this to up us want was we were
		what when where which who will with would you your`) {
		set[w] = true
	}
	return set
}()

func wordSet(text string) map[string]bool {
	set := map[string]bool{}
	for _, w := range tokenize.Words(text) {
		if !small[w] {
			set[w] = true
		}
	}
	return set
}
