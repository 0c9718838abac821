// Package quality describes datasets beyond their validity: what they consist
// of, and what a reader should look at, such as near-duplicates, queries that
// borrow the words of their tool, and personal data. Nothing here refuses a file:
// that is the business of the stage validate-datasets.
package quality

import (
	"cmp"
	"fmt"
	"slices"
)

// Report describes one dataset.
type Report struct {
	Tables   []Table   `json:"tables"`
	Findings []Finding `json:"findings"`
}

// Table is one view of a dataset.
type Table struct {
	Name string `json:"name"`
	Rows []Row  `json:"rows"`
}

// Row is one line of a table: a number of entries, or a figure.
type Row struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
	// Share is the value's share of all entries; nil for a figure.
	Share *float64 `json:"share,omitempty"`
}

// Finding is something that a reader should look at. Check is the name of the
// check. Entry is the id of the entry, or empty.
type Finding struct {
	Check   string `json:"check"`
	Entry   string `json:"entry,omitempty"`
	Message string `json:"message"`
}

func (r *Report) find(check, entry, format string, args ...any) {
	r.Findings = append(r.Findings, Finding{check, entry, fmt.Sprintf(format, args...)})
}

// counter counts entries by a word.
type counter map[string]int

// table makes a table of counts, the largest first.
func (c counter) table(name string, total int) Table {
	t := Table{Name: name, Rows: []Row{}}
	for word, n := range c {
		t.Rows = append(t.Rows, Row{word, float64(n), share(n, total)})
	}
	slices.SortFunc(t.Rows, func(a, b Row) int {
		return cmp.Or(cmp.Compare(b.Value, a.Value), cmp.Compare(a.Name, b.Name))
	})
	return t
}

func share(n, total int) *float64 {
	if total == 0 {
		return nil
	}
	s := float64(n) / float64(total)
	return &s
}

// quantiles makes a table of the distribution of values.
func quantiles(name string, values []float64) Table {
	t := Table{Name: name, Rows: []Row{}}
	if len(values) == 0 {
		return t
	}

	values = slices.Clone(values)
	slices.Sort(values)
	for _, q := range []struct {
		name string
		at   float64
	}{{"min", 0}, {"p10", 0.1}, {"p25", 0.25}, {"median", 0.5}, {"p75", 0.75}, {"p90", 0.9}, {"max", 1}} {
		t.Rows = append(t.Rows, Row{Name: q.name, Value: values[int(q.at*float64(len(values)-1)+0.5)]})
	}

	return t
}
