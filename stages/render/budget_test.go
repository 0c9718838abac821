package render

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/report/summary"
	"github.com/touchstone-eval/touchstone/internal/testing/level"
)

func moveAll(r *contracts.Report) {
	one, nine := 1, 9
	r.Gate.Changes = nil
	for _, q := range r.Aggregate.Retrieval.PerQuery {
		r.Gate.Changes = append(r.Gate.Changes, contracts.Change{Subject: summary.Retrieval, ID: q.ID, State: contracts.ChangeRegressed, Title: q.Query,
			Tool: q.Labels[0].ToolID, RankBefore: &one, RankAfter: &nine, ReplacedBy: q.Labels[1].ToolID})
	}
}

// hugeNames gives every place of every list a different tool with a long name.
func hugeNames(r *contracts.Report) {
	for i := range r.Aggregate.Retrieval.PerQuery {
		for j := range r.Aggregate.Retrieval.PerQuery[i].Ranked {
			r.Aggregate.Retrieval.PerQuery[i].Ranked[j].ToolID = fmt.Sprintf("%d-%d:%s", i, j, strings.Repeat("x", 230))
		}
	}
}

func TestPageBudget(t *testing.T) {
	if testing.Short() {
		t.Skip("it renders pages of many megabytes")
	}
	for _, tc := range []struct {
		name    string
		queries int
		change  func(r *contracts.Report)
		cut     []string // beginnings of the sentences about omissions
		all     bool     // whether the page has every query
	}{
		{"as it comes", 10_000, func(*contracts.Report) {}, nil, true},
		{"everything moved", 10_000, moveAll, nil, true},
		{"texts of 120 characters and notes", 10_000, func(r *contracts.Report) {
			for i := range r.Aggregate.Retrieval.PerQuery {
				q := &r.Aggregate.Retrieval.PerQuery[i]
				q.Query += strings.Repeat(" and so on", 7)
				q.Notes = "hard-negative: near-dup of " + q.Labels[1].ToolID
			}
			moveAll(r)
		}, nil, true},
		{"long texts", 9_800, func(r *contracts.Report) {
			r.Aggregate.Selection, r.Aggregate.Similarity = nil, nil // of bounded size
			query, notes, evidence := strings.Repeat("é<", 20_000), strings.Repeat("\u2028", 5_000), strings.Repeat("&", 60_000)
			for i := range r.Aggregate.Retrieval.PerQuery {
				r.Aggregate.Retrieval.PerQuery[i].Query, r.Aggregate.Retrieval.PerQuery[i].Notes = query, notes
			}
			for i := range r.Aggregate.Detectors {
				for j := range r.Aggregate.Detectors[i].PerEntry {
					r.Aggregate.Detectors[i].PerEntry[j].Evidence = evidence
				}
			}
		}, []string{"queries are shortened", "texts of detectors"}, true},
		{"names", 10_000, hugeNames, []string{"queries are shortened", "names of tools are shortened"}, true},
		{"too many", 45_000, moveAll, []string{"queries are left out", "changes are left out", "queries are shortened"}, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if tc.cut == nil && tc.name != "as it comes" {
				level.Thorough(t, "it renders ten thousand queries twice")
			}
			if tc.name == "names" {
				level.Thorough(t, "it shortens ten thousand queries, as the case of long texts does")
			}
			r := sampleReport(t, tc.queries)
			tc.change(&r)
			page, err := HTML(r)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%d bytes", len(page))
			if tc.cut == nil {
				if again, err := HTML(r); err != nil || !bytes.Equal(page, again) {
					t.Errorf("a second page differs (%v)", err)
				}
			}
			if len(page) > pageBudget {
				t.Errorf("%d bytes", len(page))
			}
			var h head
			if err := json.Unmarshal(script(t, page, "touchstone-data"), &h); err != nil {
				t.Fatal(err)
			}
			ids := make(map[string]bool)
			for _, line := range bytes.Split(script(t, page, "touchstone-queries"), []byte("\n")) {
				var fields []any
				if err := json.Unmarshal(line, &fields); err != nil {
					t.Fatal(err)
				}
				ids[fields[0].(string)] = true
			}
			if len(ids) != len(h.Flags) || (len(ids) == tc.queries) != tc.all {
				t.Errorf("%d of %d queries, %d flags", len(ids), tc.queries, len(h.Flags))
			}
			said := strings.Join(h.Cut, " ")
			for _, want := range tc.cut {
				if !strings.Contains(said, want) {
					t.Errorf("no %q in %q", want, said)
				}
			}
			if len(tc.cut) == 0 && said != "" {
				t.Errorf("nothing had to be left out, but the page states %q", said)
			}
			if !tc.all && !strings.Contains(said, fmt.Sprintf("%d of %d queries are left out", tc.queries-len(ids), tc.queries)) {
				t.Errorf("the page has %d queries and states %q", len(ids), said)
			}
		})
	}
}

// The least important rows are shortened first, the longest of them first, and
// no more than necessary.
func TestShrinkOrder(t *testing.T) {
	text := func(n int) func(detail) ([]any, bool) {
		return func(d detail) ([]any, bool) { return []any{strings.Repeat("x", min(n, d.text))}, n <= d.text }
	}
	s := selection{rows: []*row{
		{weight: attention, encode: text(900)},
		{weight: unmoved, encode: text(400)},
		{weight: unmoved, encode: text(800)},
		{weight: unmoved, encode: text(100)},
	}}
	for _, row := range s.rows {
		if err := row.render(details[0]); err != nil {
			t.Fatal(err)
		}
		s.size += len(row.line) + 1
	}
	whole := func() (out string) {
		for _, row := range s.rows {
			out += fmt.Sprint(row.whole, " ")
		}
		return out
	}
	for _, step := range []struct {
		room int
		want string
	}{{5000, "true true true true "}, {2000, "true true false true "}, {1600, "true false false true "}, {1100, "true false false false "}, {600, "false false false false "}} {
		if err := s.shrink(step.room); err != nil {
			t.Fatal(err)
		}
		if got := whole(); got != step.want || s.size > step.room {
			t.Errorf("in %d: %s, %d bytes", step.room, got, s.size)
		}
	}
	s.drop(300)
	if s.size > 300 || len(s.rows) == 0 || s.rows[0].weight != attention {
		t.Errorf("%d rows in %d bytes", len(s.rows), s.size)
	}
}
