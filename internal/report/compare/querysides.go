package compare

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/report/wording"
	"github.com/touchstone-eval/touchstone/metrics"
)

// QuerySides is one query in two reports. A side is nil if its report does not
// have the query.
type QuerySides struct {
	ID       string                  `json:"id"`
	A        *contracts.QuerySummary `json:"a"`
	B        *contracts.QuerySummary `json:"b"`
	Degraded [2]string               `json:"degraded"`
}

// SidesOf finds a query in two reports by its id.
func SidesOf(a, b *contracts.Aggregate, id string) (QuerySides, error) {
	q := QuerySides{ID: id, Degraded: [2]string{a.Degraded, b.Degraded}}
	for i, list := range [][]contracts.QuerySummary{a.Retrieval.PerQuery, b.Retrieval.PerQuery} {
		for k := range list {
			if list[k].ID != id {
				continue
			}

			if i == 0 {
				q.A = &list[k]
			} else {
				q.B = &list[k]
			}
		}
	}

	if q.A == nil && q.B == nil {
		return q, fmt.Errorf("neither report has a query %q", wording.Plain(wording.Shorten(id, 200)))
	}

	return q, nil
}

// Write writes both ranked lists side by side for a terminal. ● marks a right
// tool, ◐ an acceptable one and ○ one that is not relevant.
func (q QuerySides) Write(w io.Writer) error {
	sides := []*contracts.QuerySummary{q.A, q.B}
	text := ""
	for _, s := range sides {
		if s != nil && s.Query != text {
			text = s.Query
			fmt.Fprintln(w, wording.Plain(q.ID+": "+text))
		}
	}

	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	head := []string{"", "A", "B"}
	for i, how := range q.Degraded {
		if how != "" {
			head[i+1] += " (degraded on purpose: " + wording.Plain(wording.Shorten(how, 100)) + ")"
		}
	}

	fmt.Fprintln(t, strings.Join(head, "\t"))
	for _, m := range metrics.Ranking() {
		if m.Shown&metrics.PerQuery == 0 {
			continue
		}

		row := []string{m.Label}
		for _, s := range sides {
			cell := "–"
			if s != nil {
				cell = wording.Figure(s.Metrics[m.Name])
			}

			row = append(row, cell)
		}

		fmt.Fprintln(t, strings.Join(row, "\t"))
	}

	for rank := 1; rank == 1 || rank <= q.longest(); rank++ {
		row := []string{fmt.Sprint(rank)}
		for _, s := range sides {
			row = append(row, place(s, rank))
		}

		fmt.Fprintln(t, strings.Join(row, "\t"))
	}

	return t.Flush()
}

// longest is the length of the longer list.
func (q QuerySides) longest() int {
	n := 0
	for _, s := range []*contracts.QuerySummary{q.A, q.B} {
		if s != nil {
			n = max(n, len(s.Ranked))
		}
	}
	return n
}

// place formats one place of a ranked list with the tool's relevance.
func place(s *contracts.QuerySummary, rank int) string {
	switch {
	case s == nil:
		return "not in this report"
	case rank == 1 && s.Error != "":
		return "error: " + wording.Plain(wording.Shorten(s.Error, 200))
	case rank == 1 && len(s.Ranked) == 0:
		return "nothing was found"
	case rank > len(s.Ranked):
		return ""
	}

	tool := s.Ranked[rank-1].ToolID
	for _, l := range s.Labels {
		if l.ToolID == tool && l.Relevance >= 0 && l.Relevance <= 2 {
			return wording.Plain(wording.Shorten(tool, 80)) + " " + grade(l.Relevance)
		}
	}

	return wording.Plain(wording.Shorten(tool, 80))
}

// WriteQuery writes one query for a terminal: its metrics and its ranked list, marked as Write
// does, and the right tools that are not in the list.
func WriteQuery(w io.Writer, q *contracts.QuerySummary) error {
	fmt.Fprintln(w, wording.Plain(q.ID+": "+q.Query))
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, m := range metrics.Ranking() {
		if m.Shown&metrics.PerQuery != 0 {
			fmt.Fprintf(t, "%s\t%s\n", m.Label, wording.Figure(q.Metrics[m.Name]))
		}
	}

	for rank := 1; rank == 1 || rank <= len(q.Ranked); rank++ {
		fmt.Fprintf(t, "%d\t%s\n", rank, place(q, rank))
	}

	for _, l := range q.Labels {
		if l.Relevance > 0 && !slices.ContainsFunc(q.Ranked,
			func(r contracts.RankedTool) bool { return r.ToolID == l.ToolID }) {
			fmt.Fprintf(t, "not found\t%s %s\n", wording.Plain(wording.Shorten(l.ToolID, 80)), grade(l.Relevance))
		}
	}

	return t.Flush()
}

// grade is the mark of a relevance from 0 to 2.
func grade(relevance int) string { return []string{"○", "◐", "●"}[relevance] }
