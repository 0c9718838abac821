package score

import (
	"cmp"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/metrics"
)

// Confused counts the runs that expected one thing and chose another, or the same.
type Confused struct {
	// Expected is server:tool of the expected calls, or NoTool. Chosen is
	// Observation.Selects.
	Expected string `json:"expected"`
	Chosen   string `json:"chosen"`
	// Rate is the share of the runs that expected the same, with its interval.
	Rate
	// RunIDs are the first of the runs.
	RunIDs []string `json:"run_ids"`
}

// listedRuns is the number of runs that a cell of a confusion table names.
const listedRuns = 20

// Confusion is the table of expected and chosen tools, the most frequent choice of
// each expected one first. Failed runs are left out.
func Confusion(observations []Observation) []Confused {
	type row struct {
		runs  int
		cases map[string]bool
		cells map[string]*Confused
	}
	rows := map[string]*row{}
	for _, o := range observations {
		if o.Failed {
			continue
		}

		expected := cmp.Or(strings.Join(o.Tools, ", "), NoTool)
		r := rows[expected]
		if r == nil {
			r = &row{cases: map[string]bool{}, cells: map[string]*Confused{}}
			rows[expected] = r
		}

		r.runs++
		r.cases[o.CaseID] = true
		cell := r.cells[o.Selects]
		if cell == nil {
			cell = &Confused{Expected: expected, Chosen: o.Selects, RunIDs: []string{}}
			r.cells[o.Selects] = cell
		}

		cell.Count++
		if len(cell.RunIDs) < listedRuns {
			cell.RunIDs = append(cell.RunIDs, o.RunID)
		}
	}

	table := []Confused{}
	for _, r := range rows {
		for _, c := range r.cells {
			c.Of, c.Cases = r.runs, len(r.cases)
			c.Value = metrics.Rate(c.Count, c.Of)
			interval := metrics.WilsonOf(*c.Value, c.Cases)
			c.Low, c.High = &interval.Low, &interval.High
			table = append(table, *c)
		}
	}

	slices.SortFunc(table, func(a, b Confused) int {
		return cmp.Or(cmp.Compare(a.Expected, b.Expected), cmp.Compare(b.Count, a.Count), cmp.Compare(a.Chosen,
			b.Chosen))
	})
	return table
}
