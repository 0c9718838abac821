package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/report/compare"
	"github.com/touchstone-eval/touchstone/internal/report/summary"
	"github.com/touchstone-eval/touchstone/internal/report/wording"
)

// measuredJSON is the output of explain --json for a query or an entry of the last report.
type measuredJSON struct {
	Query   *contracts.QuerySummary           `json:"query,omitempty"`
	Entry   map[string]contracts.EntrySummary `json:"entry,omitempty"` // by detector
	Changes []contracts.Change                `json:"changes"`
}

// inLastReport finds a query or a security entry in the published report by its id.
func (s *session) inLastReport(id string) (*measuredJSON, error) {
	var failed error
	for _, p := range s.reports() {
		r, err := contracts.ReadReport(filepath.Join(s.plan.Root, p.Path, "report.json"))
		if err != nil {
			failed = errors.Join(failed, err)
			continue
		}

		m := &measuredJSON{Entry: map[string]contracts.EntrySummary{}, Changes: []contracts.Change{}}
		for i := range r.Aggregate.Retrieval.PerQuery {
			if r.Aggregate.Retrieval.PerQuery[i].ID == id {
				m.Query = &r.Aggregate.Retrieval.PerQuery[i]
			}
		}

		for _, d := range r.Aggregate.Detectors {
			for _, e := range d.PerEntry {
				if e.ID == id {
					m.Entry[d.Score.Detector] = e
				}
			}
		}

		for _, c := range r.Gate.Changes {
			if c.ID == id {
				m.Changes = append(m.Changes, c)
			}
		}

		if m.Query != nil || len(m.Entry) > 0 {
			return m, nil
		}
	}

	return nil, failed
}

// print writes what was measured, with the texts of the data made harmless for a terminal.
func (m *measuredJSON) print(w io.Writer) error {
	for _, c := range m.Changes {
		subject := ""
		if c.Subject != summary.Retrieval {
			subject = c.Subject + ": "
		}

		fmt.Fprintf(w, "since the baseline: %s\n", wording.Plain(subject+summary.StateName(c.State)+": "+
			summary.Explanation(c)))
	}

	if m.Query != nil {
		return compare.WriteQuery(w, m.Query)
	}

	first := true
	for _, detector := range slices.Sorted(maps.Keys(m.Entry)) {
		e := m.Entry[detector]
		if first {
			fmt.Fprintf(w, "%s: %s, %s\n", wording.Plain(e.ID), e.Label, strings.ReplaceAll(e.Category, "_", " "))
			first = false
		}

		fmt.Fprintf(w, "%s: %s", wording.Plain(detector), e.Verdict)
		if len(e.Signals) > 0 {
			fmt.Fprintf(w, " by %s", wording.Plain(strings.Join(e.Signals, ", ")))
		}

		fmt.Fprintln(w)
		for _, text := range []string{e.Evidence, e.Error} {
			if text != "" {
				fmt.Fprintf(w, "  %s\n", wording.Plain(wording.Shorten(text, 400)))
			}
		}
	}

	return nil
}
