package render

import (
	"fmt"
	"strings"
	"testing"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/report/summary"
)

// The parts cover every query, and their figures are those of their queries.
func TestBreakdown(t *testing.T) {
	label := func(ids ...string) (list []contracts.Label) {
		for _, id := range ids {
			list = append(list, contracts.Label{ToolID: id, Relevance: 2})
		}
		return list
	}
	ranked := func(ids ...string) (list []contracts.RankedTool) {
		for i, id := range ids {
			list = append(list, contracts.RankedTool{Rank: i + 1, ToolID: id})
		}
		return list
	}
	query := func(id string, recall float64, notes string, labels []contracts.Label, list []contracts.RankedTool) contracts.QuerySummary {
		return contracts.QuerySummary{ID: id, Notes: notes, Labels: labels, Ranked: list, Metrics: contracts.RetrievalMetrics{"recall_at_5": recall, "mrr": recall, "ndcg_at_10": recall}}
	}
	var r contracts.Report
	r.Aggregate.Retrieval.PerQuery = []contracts.QuerySummary{
		query("q1", 1, "", label("git:a"), ranked("git:a", "git:b")),
		query("q2", 0, "hard-negative: near-dup of web:y", label("web:x"), ranked("web:y")),
		query("q3", 0.5, "", label("git:a", "web:x"), ranked("web:y", "git:a")),
	}
	r.Gate.Changes = []contracts.Change{
		{Subject: summary.Retrieval, ID: "q2", State: contracts.ChangeRegressed},
		{Subject: summary.Retrieval, ID: "q3", State: contracts.ChangeFixed},
		{Subject: "scanner", ID: "q1", State: contracts.ChangeRegressed},
	}
	v := viewBreakdown(&r)
	var lines []string
	for _, list := range [][]partView{v.Kinds, v.Servers} {
		for _, p := range list {
			lines = append(lines, strings.TrimSpace(p.Name+" "+p.Cells[0].Value+" "+p.Changed))
		}
	}
	want := "look-alike labelled 0.000 −1, no look-alike labelled 0.750 +1, one right tool 0.500 −1, several right tools 0.500 +1, web 0.250 −1 +1, git 0.750 +1"
	if got := strings.Join(lines, ", "); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	// q1 has all at 1, q2 nothing, q3 half at 2.
	if !strings.HasPrefix(v.CurveNote, "Recall at 1: 0.333, 2: 0.500, 3: 0.500,") || !strings.Contains(v.CurveNote, "10: 0.500.") {
		t.Errorf("%s", v.CurveNote)
	}
	if viewBreakdown(&contracts.Report{}) != nil {
		t.Error("a report without queries has a breakdown")
	}
}

// Tags and languages are kinds of their own.
func TestBreakdownByTagAndLanguage(t *testing.T) {
	queries := []contracts.QuerySummary{
		{ID: "q1", Tags: []string{contracts.TagHardNegative, contracts.TagIndirect}},
		{ID: "q2", Language: "zh"},
		{ID: "q3", Language: "de", Tags: []string{contracts.TagMisspelt}},
		{ID: "q4", Language: "de"},
	}
	var got []string
	for _, p := range queryKinds(queries, 0) {
		line := p.name + ":"
		for _, i := range p.queries {
			line += " " + queries[i].ID
		}
		got = append(got, line)
	}
	want := "look-alike labelled: q1, no look-alike labelled: q2 q3 q4, one right tool: q1 q2 q3 q4, indirect: q1, misspelt: q3, language de: q3 q4, language zh: q2"
	if s := strings.Join(got, ", "); s != want {
		t.Errorf("%s\nwant %s", s, want)
	}
}

// The splits are those of the golden set. A set without splits has none.
func TestBreakdownBySplit(t *testing.T) {
	golden := contracts.GoldenSet{TestShare: 0.4}
	queries := make([]contracts.QuerySummary, 50)
	held := 0
	for i := range queries {
		queries[i].ID = fmt.Sprintf("q%d", i)
		if golden.Split(queries[i].ID) == contracts.SplitTest {
			held++
		}
	}
	sizes := map[string]int{}
	for _, p := range queryKinds(queries, golden.TestShare) {
		sizes[p.name] = len(p.queries)
	}
	if held == 0 || sizes["split test"] != held || sizes["split dev"] != 50-held {
		t.Errorf("%d queries are held out: %v", held, sizes)
	}
	for _, p := range queryKinds(queries, 0) {
		if strings.HasPrefix(p.name, "split") {
			t.Errorf("a set without splits has %s", p.name)
		}
	}
}
