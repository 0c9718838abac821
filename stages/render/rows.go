package render

import (
	"cmp"
	"slices"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/report/summary"
	"github.com/touchstone-eval/touchstone/internal/report/wording"
	"github.com/touchstone-eval/touchstone/metrics"
)

// detail is the level of detail of a query or a move: the number of characters
// of each text, of places of the ranked list, of labels, and of characters of a
// tool's name.
type detail struct{ text, ranked, labels, tool int }

// details go from everything that a reader may want to the least that still
// identifies the query.
var details = []detail{
	{text: 1000, ranked: 20, labels: 40, tool: 200},
	{text: 240, ranked: 10, labels: 20, tool: 120},
	{text: 120, ranked: 5, labels: 6, tool: 80},
	{text: 60, ranked: 3, labels: 3, tool: 60},
	{text: 30, ranked: 0, labels: 1, tool: 40},
}

// weight decides which rows are shortened first if the page is too large.
type weight int

const (
	unmoved   weight = iota // queries that were answered well, and did not move
	attention               // failed and moved queries
	move
)

// row is a query or a move to be written into the page.
type row struct {
	weight weight
	flags  int
	encode func(detail) (fields []any, whole bool)
	line   []byte
	whole  bool
}

// render writes the row's line at a level of detail.
func (r *row) render(d detail) error {
	fields, whole := r.encode(d)
	line, err := scriptSafeJSON(fields)
	if err != nil {
		return err
	}
	r.line, r.whole = line, whole
	return nil
}

// query is a query with the values that decide its place in the list.
type query struct {
	*contracts.QuerySummary
	// first is the rank of the best relevant tool, or 0 if it is not in the
	// list.
	first int
	// move is the index of the query's move, or -1.
	move  int
	state string
}

func (q *query) failed() bool { return q.ErroredRuns > 0 || q.first == 0 || q.first > 5 }

// order sorts queries by their importance for a reader.
func (q *query) order() int {
	switch {
	case q.move >= 0 && (q.state == contracts.ChangeRegressed || q.state == contracts.ChangeErrored):
		return 0
	case q.move >= 0:
		return 1
	case q.ErroredRuns > 0:
		return 0
	case q.failed():
		return 2
	}
	return 3
}

// sortedQueries puts failed and moved queries first.
func sortedQueries(queries []contracts.QuerySummary, moves []contracts.Change) []query {
	moved := make(map[string]int)
	for i, m := range moves {
		if m.Subject == summary.Retrieval {
			moved[m.ID] = i
		}
	}

	out := make([]query, len(queries))
	for i := range queries {
		q := query{QuerySummary: &queries[i], move: -1}
		if n, ok := moved[q.ID]; ok {
			q.move, q.state = n, moves[n].State
		}

		q.first = 1 + slices.IndexFunc(q.Ranked, contracts.RankedTool.Relevant)
		out[i] = q
	}

	slices.SortStableFunc(out, func(a, b query) int { return a.order() - b.order() })
	return out
}

// shownPerQuery are the metrics that the page shows with each query.
var shownPerQuery = slices.DeleteFunc(metrics.Ranking(),
	func(m metrics.RankingMetric) bool { return m.Shown&metrics.PerQuery == 0 })

// queryRow is: id, text, notes, labels (tool, relevance, ...), ranked tools,
// metrics (those of shownPerQuery, in thousandths), rank of the best relevant
// tool (0: none), errored runs, error, index of the move (-1: none) and, only
// if something is shortened, how many labels and how many places of the ranked
// list are missing.
func queryRow(q query, tools *toolTable) *row {
	r := &row{weight: unmoved}
	if q.move >= 0 || q.failed() {
		r.weight, r.flags = attention, flagAttention
	}

	if q.ErroredRuns > 0 {
		r.flags |= flagErrored
	}

	if hasLookAlike(q.QuerySummary) {
		r.flags |= flagLookAlike
	}

	r.encode = func(d detail) ([]any, bool) {
		t := truncator{detail: d, whole: true}
		told := q.Labels
		if len(told) > d.labels {
			told = slices.Clone(told)
			slices.SortStableFunc(told, func(a, b contracts.Label) int { return cmp.Compare(b.Relevance, a.Relevance) })
			told, t.whole = told[:d.labels], false
		}

		labels := make([]int, 0, 2*len(told))
		for _, l := range told {
			labels = append(labels, tools.number(l.ToolID), l.Relevance)
		}

		list := q.Ranked
		if len(list) > d.ranked {
			list, t.whole = list[:d.ranked], false
		}

		ranked := make([]int, 0, len(list))
		for _, p := range list {
			ranked = append(ranked, tools.number(p.ToolID))
		}

		values := make([]int, 0, len(shownPerQuery))
		for _, m := range shownPerQuery {
			values = append(values, milli(q.Metrics[m.Name]))
		}

		fields := []any{q.ID, t.short(q.Query), t.short(q.Notes), labels, ranked, values, q.first, q.ErroredRuns,
			t.short(q.Error), q.move}
		if !t.whole {
			fields = append(fields, len(q.Labels)-len(told), len(q.Ranked)-len(list))
		}

		return fields, t.whole
	}
	return r
}

// moveRow is: subject, id, index of the state, tool, rank before, rank after
// (0: none), replaced by, title, before, after, error, index of the query (-1:
// none). Tools are indexes, -1 for none. The move of a query has no title or
// error, because the query's own line has them.
func moveRow(m contracts.Change, at int, q *query, tools *toolTable) *row {
	title, failure := m.Title, m.Error
	if q != nil {
		title = ""
		if failure == q.Error {
			failure = ""
		}
	}

	return &row{weight: move, encode: func(d detail) ([]any, bool) {
		t := truncator{detail: d, whole: true}
		return []any{m.Subject, m.ID, slices.Index(summary.States, m.State), tools.number(m.Tool), orZero(m.RankBefore),
			orZero(m.RankAfter),
			tools.number(m.ReplacedBy), t.short(title), m.Before, m.After, t.short(failure), at}, t.whole
	}}
}

// truncator shortens texts and records whether it shortened any.
type truncator struct {
	detail
	whole bool
}

func (t *truncator) short(s string) string {
	out := wording.Shorten(s, t.text)
	if out != s {
		t.whole = false
	}
	return out
}

func orZero(rank *int) int {
	if rank == nil {
		return 0
	}
	return *rank
}
