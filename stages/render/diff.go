package render

import (
	"fmt"
	"slices"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/report/wording"
	"github.com/touchstone-eval/touchstone/metrics"
	"github.com/touchstone-eval/touchstone/stages/internal/detection"
)

// Difference lists the changes from one report to another.
type Difference struct {
	PassedBefore bool `json:"passed_before"`
	PassedAfter  bool `json:"passed_after"`
	// DataChanged names the datasets that differ, which is then one reason why
	// figures differ.
	DataChanged []string `json:"data_changed"`
	// DegradedBefore and DegradedAfter say how the index of a side was degraded on
	// purpose. They are empty for the normal proxy.
	DegradedBefore string `json:"degraded_before"`
	DegradedAfter  string `json:"degraded_after"`
	// ProxyChanged reports whether the proxy under test differs.
	ProxyChanged bool               `json:"proxy_changed"`
	Figures      []FigureDifference `json:"figures"`
	Moves        []contracts.Move   `json:"moves"`

	before, after string // outcomes
}

// FigureDifference is one figure in both reports. Before or After is absent if
// a report does not have it. Noise is set if each of the two 95% intervals
// holds the other's value; two reports alone allow no better test.
type FigureDifference struct {
	Subject string   `json:"subject"`
	Metric  string   `json:"metric"`
	Before  *float64 `json:"before,omitempty"`
	After   *float64 `json:"after,omitempty"`
	Noise   bool     `json:"noise"`
}

// Diff compares two reports, a before and b after. Equal figures are left out.
func Diff(a, b contracts.Report) Difference {
	d := Difference{PassedBefore: a.Gate.Passed, PassedAfter: b.Gate.Passed, before: outcome(&a.Gate),
		after: outcome(&b.Gate), DataChanged: []string{}, Figures: []FigureDifference{}, Moves: []contracts.Move{}}
	da, db := a.Aggregate.Data, b.Aggregate.Data
	for _, x := range []struct {
		kind          string
		before, after string
	}{
		{contracts.KindCorpus, da.CorpusSHA256, db.CorpusSHA256},
		{contracts.KindGolden, da.GoldenSHA256, db.GoldenSHA256},
		{contracts.KindSecurity, da.SecuritySHA256, db.SecuritySHA256},
	} {
		if x.before != x.after {
			d.DataChanged = append(d.DataChanged, x.kind)
		}
	}

	if sa, sb := a.Aggregate.Selection, b.Aggregate.Selection; sa != nil && sb != nil &&
		sa.CasesSHA256 != sb.CasesSHA256 {
		d.DataChanged = append(d.DataChanged, contracts.KindCases)
	}

	d.DegradedBefore, d.DegradedAfter = a.Aggregate.Degraded, b.Aggregate.Degraded
	d.ProxyChanged = a.Aggregate.ProxyIdentity != b.Aggregate.ProxyIdentity
	d.Figures = append(d.Figures, diffFigures(figures(&a.Aggregate), figures(&b.Aggregate))...)
	d.Moves = append(d.Moves, diffQueries(a.Aggregate.Retrieval.PerQuery, b.Aggregate.Retrieval.PerQuery)...)
	d.Moves = append(d.Moves, diffDetectors(a.Aggregate.Detectors, b.Aggregate.Detectors)...)
	d.Moves = append(d.Moves, diffSelection(a.Aggregate.Selection, b.Aggregate.Selection)...)
	d.Moves = sortedMoves(d.Moves)
	return d
}

// measured is one figure of one report.
type measured struct {
	subject, metric string
	value           float64
	interval        *contracts.Interval
}

func figures(a *contracts.Aggregate) []measured {
	var all []measured
	for _, m := range a.Retrieval.Metrics {
		all = append(all, measured{retrieval, m.Metric, m.Mean, &m.Interval})
	}

	for _, d := range a.Detectors {
		for _, r := range metrics.DetectionRates() {
			if value := d.Score.Rate(r.Name); value != nil && r.Shown&metrics.InTables != 0 {
				all = append(all, measured{d.Score.Detector, r.Name, *value, d.RateInterval(r.Name)})
			}
		}
	}

	if a.Selection == nil {
		return all
	}

	for _, m := range a.Selection.Models {
		for _, declared := range metrics.SelectionRates() {
			if r, _ := m.Rate(declared.Name); r.Value != nil && declared.Shown&metrics.InTables != 0 {
				all = append(all, measured{m.Model, declared.Name, *r.Value, r.Interval})
			}
		}
	}

	return all
}

func diffFigures(before, after []measured) []FigureDifference {
	var out []FigureDifference
	find := func(list []measured, m measured) *measured {
		i := slices.IndexFunc(list, func(o measured) bool { return o.subject == m.subject && o.metric == m.metric })
		if i < 0 {
			return nil
		}

		return &list[i]
	}
	for _, m := range after {
		switch o := find(before, m); {
		case o == nil:
			out = append(out, FigureDifference{Subject: m.subject, Metric: m.metric, After: &m.value})
		case o.value != m.value:
			out = append(out, FigureDifference{m.subject, m.metric, &o.value, &m.value, holds(o.interval, m.value) &&
				holds(m.interval, o.value)})
		}
	}

	for _, o := range before {
		if find(after, o) == nil {
			out = append(out, FigureDifference{Subject: o.subject, Metric: o.metric, Before: &o.value})
		}
	}

	return out
}

func holds(i *contracts.Interval, v float64) bool { return i != nil && i.Low <= v && v <= i.High }

// diffQueries compares the rank of the best relevant tool for each query.
func diffQueries(before, after []contracts.QuerySummary) []contracts.Move {
	old := make(map[string]*contracts.QuerySummary, len(before))
	for i := range before {
		old[before[i].ID] = &before[i]
	}

	var moves []contracts.Move
	seen := make(map[string]bool, len(after))
	for i := range after {
		q := &after[i]
		seen[q.ID] = true
		m := contracts.Move{Subject: retrieval, ID: q.ID, Title: q.Query}
		rank, tool := bestRank(q)
		m.RankAfter, m.Tool = rank, tool
		o, ok := old[q.ID]
		if !ok {
			m.State = contracts.MoveNew
			moves = append(moves, m)
			continue
		}

		was, wasTool := bestRank(o)
		m.RankBefore = was
		switch {
		case q.ErroredRuns > 0 && o.ErroredRuns == 0:
			m.State, m.Error = contracts.MoveErrored, q.Error
		case o.ErroredRuns > 0 && q.ErroredRuns == 0, inverse(rank) > inverse(was):
			m.State = contracts.MoveFixed
		case inverse(rank) < inverse(was):
			m.State, m.Tool = contracts.MoveRegressed, wasTool
			m.RankAfter = rankOf(q, wasTool)
			if *was <= len(q.Ranked) {
				m.DisplacedBy = q.Ranked[*was-1].ToolID
			}
		default:
			continue
		}

		moves = append(moves, m)
	}

	for i := range before {
		if o := &before[i]; !seen[o.ID] {
			rank, tool := bestRank(o)
			moves = append(moves, contracts.Move{Subject: retrieval, ID: o.ID, Title: o.Query,
				State: contracts.MoveRemoved, RankBefore: rank, Tool: tool})
		}
	}

	return moves
}

// bestRank is the rank of the first relevant tool in the list.
func bestRank(q *contracts.QuerySummary) (*int, contracts.ToolID) {
	if i := slices.IndexFunc(q.Ranked, contracts.RankedTool.Relevant); i >= 0 {
		rank := i + 1
		return &rank, q.Ranked[i].ToolID
	}
	return nil, ""
}

func rankOf(q *contracts.QuerySummary, tool contracts.ToolID) *int {
	if i := slices.IndexFunc(q.Ranked, func(t contracts.RankedTool) bool { return t.ToolID == tool }); i >= 0 {
		rank := i + 1
		return &rank
	}
	return nil
}

// diffDetectors compares the verdict on each entry for detectors that both
// reports have.
func diffDetectors(before, after []contracts.DetectorSummary) []contracts.Move {
	var moves []contracts.Move
	for _, d := range after {
		i := slices.IndexFunc(before,
			func(o contracts.DetectorSummary) bool { return o.Score.Detector == d.Score.Detector })
		if i < 0 {
			continue
		}

		old := make(map[string]contracts.EntrySummary, len(before[i].PerEntry))
		for _, e := range before[i].PerEntry {
			old[e.ID] = e
		}

		for _, e := range d.PerEntry {
			o, ok := old[e.ID]
			delete(old, e.ID)
			m := contracts.Move{Subject: d.Score.Detector, ID: e.ID, Category: e.Category, State: contracts.MoveNew,
				Before: o.Verdict, After: e.Verdict, Error: e.Error}
			if ok {
				m.State = detection.Moved(o.Verdict, e)
			}

			if m.State == "" || m.State == contracts.MoveErrored && o.Error != "" {
				continue
			}

			moves = append(moves, m)
		}

		for _, e := range before[i].PerEntry {
			if _, gone := old[e.ID]; gone {
				moves = append(moves, contracts.Move{Subject: d.Score.Detector, ID: e.ID, Category: e.Category,
					State: contracts.MoveRemoved, Before: e.Verdict})
			}
		}
	}

	return moves
}

// Lines writes the difference for a terminal.
func (d Difference) Lines() []string {
	lines := []string{fmt.Sprintf("gate: %s → %s", d.before, d.after)}
	for _, kind := range d.DataChanged {
		lines = append(lines, fmt.Sprintf("note: the %s datasets differ, which is one reason why figures differ", kind))
	}

	if d.ProxyChanged {
		lines = append(lines, "note: the proxies under test differ")
	}

	for _, side := range []struct{ name, how string }{{"before", d.DegradedBefore}, {"after", d.DegradedAfter}} {
		if side.how != "" {
			lines = append(lines, wording.Plain(fmt.Sprintf("note: the index %s was degraded on purpose: %s", side.name,
				side.how)))
		}
	}

	for _, f := range d.Figures {
		name := checkName(contracts.GateCheck{Subject: f.Subject, Metric: f.Metric})
		switch {
		case f.Before == nil:
			lines = append(lines, fmt.Sprintf("  %s: new, %s", name, wording.Figure(*f.After)))
		case f.After == nil:
			lines = append(lines, fmt.Sprintf("- %s: gone, was %s", name, wording.Figure(*f.Before)))
		default:
			mark := " "
			if f.Noise {
				mark = "~"
			}

			lines = append(lines, fmt.Sprintf("%s %s: %s → %s (%s)", mark, name, wording.Figure(*f.Before),
				wording.Figure(*f.After), wording.Signed(*f.After-*f.Before)))
		}
	}

	if len(d.Figures) == 0 && len(d.Moves) == 0 {
		return append(lines, "nothing moved")
	}

	for _, m := range d.Moves {
		subject := ""
		if m.Subject != retrieval {
			subject = m.Subject + " "
		}

		line := fmt.Sprintf("%s: %s%s", m.State, subject, m.ID)
		if w := why(m); w != "" {
			line += " (" + w + ")"
		}

		if m.Title != "" {
			line += " " + wording.Shorten(m.Title, 80)
		}

		lines = append(lines, wording.Plain(line))
	}

	return lines
}
