package validation

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"golang.org/x/text/language"
	"golang.org/x/text/unicode/norm"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/base/closest"
	"github.com/touchstone-eval/touchstone/internal/base/lazyregexp"
)

// hardNegativeNote starts the notes of a query that has a near-duplicate of its
// tool among its irrelevant tools.
const hardNegativeNote = "hard-negative:"

// checkGolden refuses queries that cannot be scored against the corpus, or that
// name their tool. It returns warnings. It skips checks that need the corpus if
// the corpus could not be read.
func checkGolden(d *dataset[contracts.GoldenSet], corpus *contracts.Corpus) (warnings []string) {
	g := &d.value
	checkSource(d, g.GeneratedFrom)
	checkNUL(d)
	checkFileName(d, g.Version)
	tools := make(map[string]*contracts.Tool)
	for i := range corpus.Tools {
		tools[corpus.Tools[i].ToolID] = &corpus.Tools[i]
	}

	if g.CorpusVersion != "" && corpus.Version != "" && g.CorpusVersion != corpus.Version {
		d.refuse("/corpus_version", "",
			fmt.Sprintf("the queries are labelled for corpus %.128q, but the corpus is %.128q", g.CorpusVersion,
				corpus.Version),
			"use the corpus that the labels were made for, or check the labels and change corpus_version")
	}

	first := make(map[string]int)
	byText := make(map[string]*contracts.Query)
	var proper, repeated []string
	for i := range g.Queries {
		q := &g.Queries[i]
		at := fmt.Sprintf("/queries/%d", i)
		checkID(d, at, "query", q.ID, i, first)
		if q.Query != "" && len(textWords(q.Query)) == 0 {
			d.refuse(at+"/query", q.ID, "the query has no word to search for", "write what a user would ask for")
		}

		text := readerText(q.Query)
		if earlier := byText[text]; earlier == nil {
			byText[text] = q
		} else if text != "" {
			repeated = append(repeated, q.ID)
			checkAgreement(d, at, q, earlier)
		}

		if checkLabels(d, at, q, tools) == properName {
			proper = append(proper, q.ID)
		}

		checkNote(d, at, q, tools)
		checkTraits(d, at, q)
	}

	if len(proper) > 0 {
		warnings = append(warnings,
			fmt.Sprintf("golden: %d queries contain a relevant tool's name as a proper name: %s", len(proper),
				listed(proper)))
	}

	if len(repeated) > 0 {
		warnings = append(warnings,
			fmt.Sprintf("golden: %d queries repeat the text of an earlier one: %s", len(repeated), listed(repeated)))
	}

	checkSplit(d)
	if len(g.Queries) > 0 && !slices.ContainsFunc(g.Queries, func(q contracts.Query) bool { return q.Answerable() }) {
		d.refuse("/queries", "", "no query has a right tool",
			"add queries that a tool serves: without them there is no ranking to measure")
	}

	if n := hardQueries(g); n == 0 && len(g.Queries) > 0 {
		warnings = append(warnings,
			`golden: no query is marked "hard-negative: near-dup of <tool_id>", so the set hardly tests near-duplicates`)
	}

	return warnings
}

// readerText returns a text as a reader compares it: letters that look alike are
// equal, whatever their case and the blanks between words.
func readerText(text string) string {
	return strings.ToLower(strings.Join(strings.Fields(norm.NFKC.String(text)), " "))
}

// checkTraits refuses a language that is none, and tags that the labels
// contradict.
func checkTraits(d *dataset[contracts.GoldenSet], at string, q *contracts.Query) {
	if q.Language != "" {
		if _, err := language.Parse(q.Language); err != nil {
			d.refuse(at+"/language", q.ID, fmt.Sprintf("%q is no language", q.Language),
				"write a BCP 47 tag with a registered language, such as de or pt-BR")
		}
	}

	right, wrong := 0, 0
	for _, l := range q.Labels {
		if l.Relevance >= 1 {
			right++
		} else {
			wrong++
		}
	}

	for k, tag := range q.Tags {
		tagAt := fmt.Sprintf("%s/tags/%d", at, k)
		switch {
		case tag == contracts.TagSeveralAnswers && right < 2:
			d.refuse(tagAt, q.ID, fmt.Sprintf("the query is tagged %s, and %d of its labels have relevance 1 or 2", tag,
				right), "label a second right tool, or remove the tag")
		case tag == contracts.TagHardNegative && wrong == 0:
			d.refuse(tagAt, q.ID, fmt.Sprintf("the query is tagged %s, and no label has relevance 0", tag),
				"label the tool that looks right 0, or remove the tag")
		}
	}
}

// checkSplit refuses a share that leaves one of the splits empty.
func checkSplit(d *dataset[contracts.GoldenSet]) {
	g := &d.value
	if g.TestShare <= 0 || g.TestShare >= 1 || len(g.Queries) == 0 {
		return
	}

	size := map[string]int{}
	for _, q := range g.Queries {
		size[g.Split(q.ID)]++
	}

	for _, split := range []string{contracts.SplitDev, contracts.SplitTest} {
		if size[split] == 0 {
			d.refuse("/test_share", "",
				fmt.Sprintf("a test share of %g leaves the %s split of %d queries empty", g.TestShare, split,
					len(g.Queries)), "write another share, or remove it")
		}
	}
}

// checkAgreement refuses two queries with the same text if one labels a tool as
// relevant and the other as irrelevant.
func checkAgreement(d *dataset[contracts.GoldenSet], at string, q, earlier *contracts.Query) {
	word := map[bool]string{true: "relevant", false: "irrelevant"}
	for _, l := range q.Labels {
		for _, e := range earlier.Labels {
			if was, is := e.Relevance > 0, l.Relevance > 0; e.ToolID == l.ToolID && was != is {
				d.refuse(at+"/query", q.ID,
					fmt.Sprintf("the text is the same as that of %s, which labels %s as %s and not %s", earlier.ID,
						l.ToolID, word[was], word[is]),
					"correct one of the labels, or rephrase one of the queries")
				return
			}
		}
	}
}

// checkLabels checks the labels of one query, and reports whether the query
// names a relevant tool.
func checkLabels(d *dataset[contracts.GoldenSet], at string, q *contracts.Query,
	tools map[string]*contracts.Tool) naming {
	seen := make(map[string]bool)
	relevant := 0
	worst, giveaway := notNamed, ""
	for k, l := range q.Labels {
		if l.ToolID == "" {
			continue
		}

		labelAt := fmt.Sprintf("%s/labels/%d/tool_id", at, k)
		if seen[l.ToolID] {
			d.refuse(labelAt, q.ID, fmt.Sprintf("duplicate label for %s", l.ToolID), "keep one of the two")
			continue
		}

		seen[l.ToolID] = true
		if l.Relevance >= 1 || d.fromSchema[fmt.Sprintf("%s/labels/%d/relevance", at, k)] {
			relevant++
		}

		tool := tools[l.ToolID]
		if tool == nil {
			if len(tools) > 0 {
				d.refuse(labelAt, q.ID, fmt.Sprintf("dangling label: the corpus has no tool %q", l.ToolID),
					suggest(d, l.ToolID, tools))
			}

			continue
		}

		if l.Relevance >= 1 {
			if n := names(q.Query, tool.Server, tool.Tool); n > worst {
				worst, giveaway = n, l.ToolID
			}
		}
	}

	if !q.Answerable() {
		if relevant > 0 {
			d.refuse(at+"/expects", q.ID, "the query expects no tool, but a label has relevance 1 or 2",
				"remove expects, or label these tools 0")
		}

		return notNamed
	}

	if relevant == 0 && len(q.Labels) > 0 {
		d.refuse(at+"/labels", q.ID, "no label has relevance 1 or 2",
			"label the tool that serves this query, say \"expects\": \"none\" if no tool does, or remove the query")
	}

	if worst == named {
		d.refuse(at+"/query", q.ID, fmt.Sprintf("the query names its tool %s", giveaway),
			"describe the intent without the tool's name")
	}

	return worst
}

// likeHardNegative finds notes that are meant to mark a hard negative.
var likeHardNegative = lazyregexp.New(`(?i)^\s*hard[\s_-]*neg`)

// checkNote refuses a note that is meant to mark a hard negative and does not,
// and a near-duplicate that the corpus does not have.
func checkNote(d *dataset[contracts.GoldenSet], at string, q *contracts.Query, tools map[string]*contracts.Tool) {
	const form = hardNegativeNote + " near-dup of "
	_, id, ok := strings.Cut(q.Notes, form)
	if likeHardNegative().MatchString(q.Notes) && (!strings.HasPrefix(q.Notes, form) || firstField(id) == "") {
		d.refuse(at+"/notes", q.ID, fmt.Sprintf("the notes %.60q do not mark a hard negative", q.Notes),
			fmt.Sprintf("write %q", form+"<tool_id>"))
		return
	}

	if !ok || len(tools) == 0 {
		return
	}

	if id, _, _ = strings.Cut(id, ","); tools[strings.TrimSpace(id)] == nil && tools[firstField(id)] == nil {
		d.refuse(at+"/notes", q.ID,
			fmt.Sprintf("the notes name a near-duplicate %q that the corpus does not have", firstField(id)),
			suggest(d, firstField(id), tools))
	}
}

func firstField(s string) string {
	if f := strings.Fields(s); len(f) > 0 {
		return strings.TrimRight(f[0], ";,.")
	}
	return ""
}

// Finding a similar id compares it with every tool, so it is limited to ids of
// reasonable length and to the first problems, which are all that is printed.
const (
	maxSuggestLength   = 128
	maxSuggestProblems = 100
)

// suggest returns a remedy that names the tool that was probably meant.
func suggest[T any](d *dataset[T], id string, tools map[string]*contracts.Tool) string {
	const otherwise = "correct it, remove it, or add the tool to a new version of the corpus"
	if len(d.problems) > maxSuggestProblems || len(id) > maxSuggestLength {
		return otherwise
	}
	if best := closest.To(id, slices.Sorted(maps.Keys(tools))); best != "" {
		return fmt.Sprintf("did you mean %q?", best)
	}
	return otherwise
}

func hardQueries(g *contracts.GoldenSet) int {
	n := 0
	for i := range g.Queries {
		if q := &g.Queries[i]; strings.HasPrefix(q.Notes, hardNegativeNote) ||
			slices.Contains(q.Tags, contracts.TagHardNegative) {
			n++
		}
	}
	return n
}

// CheckGolden returns the problems for which the stage would refuse a golden set
// over a valid corpus, except for those that the contracts themselves forbid.
// The Entry of each problem is the id of its query.
func CheckGolden(golden contracts.GoldenSet, corpus contracts.Corpus) []contracts.Problem {
	d := &dataset[contracts.GoldenSet]{kind: contracts.KindGolden, value: golden}
	checkGolden(d, &corpus)
	return d.problems
}
