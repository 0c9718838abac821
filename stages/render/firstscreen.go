package render

import (
	"cmp"
	"strings"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/report/summary"
	"github.com/touchstone-eval/touchstone/internal/report/wording"
)

// The first screen of a failed report answers without scrolling what failed, by
// how much, and what got worse. These are the numbers of rows that fit.
const (
	maxFirstChecks = 5
	maxFirstMoves  = 5
)

// firstScreen is the data of the first screen of a failed gate.
type firstScreen struct {
	Checks     []firstCheck
	MoreChecks string
	Changes    []firstChange
	MoreMoves  string
}

// firstCheck is a failed check in numbers. Interval, Change and Detectable are
// "–" for a figure that has none.
type firstCheck struct{ Name, Value, Interval, Bound, Change, Detectable string }

// firstChange is one of the worst moves: what it is, and what happened to it.
type firstChange struct{ ID, Title, Tool, How, ReplacedBy, State string }

// viewFirst returns the first screen, or nil if the gate passed.
func viewFirst(r *contracts.Report) *firstScreen {
	failed := summary.FailedChecks(&r.Gate)
	if len(failed) == 0 {
		return nil
	}

	f := &firstScreen{}
	for _, c := range failed[:min(len(failed), maxFirstChecks)] {
		f.Checks = append(f.Checks, viewFirstCheck(c, &r.Aggregate))
	}

	if n := len(failed) - len(f.Checks); n > 0 {
		f.MoreChecks = wording.CountOf(n, "1 more check fails.", "%d more checks fail.")
	}

	worst := summary.Worse(&r.Gate)
	for _, m := range worst[:min(len(worst), maxFirstMoves)] {
		f.Changes = append(f.Changes, viewFirstChange(m))
	}

	if n := len(worst) - len(f.Changes); n > 0 {
		f.MoreMoves = wording.CountOf(n, "1 more got worse", "%d more got worse")
	}

	return f
}

func viewFirstCheck(c contracts.GateCheck, a *contracts.Aggregate) firstCheck {
	v := firstCheck{Name: summary.CheckName(c), Value: summary.Value(c), Interval: "–",
		Bound: summary.Bound(c), Change: "–", Detectable: "–"}
	if c.Interval != nil {
		v.Interval = wording.Range(*c.Interval)
	}

	if c.Subject != summary.Retrieval {
		return v
	}

	for _, m := range a.Retrieval.Metrics {
		if m.Metric == c.Metric && m.Comparison != nil {
			v.Change = wording.Signed(m.Comparison.Delta)
		}
	}

	if c.MinDetectable != nil { // that of the verdict
		v.Detectable = "±" + wording.Figure(*c.MinDetectable)
	}

	return v
}

func viewFirstChange(m contracts.Change) firstChange {
	v := firstChange{ID: m.ID, Title: wording.Shorten(cmp.Or(m.Title, strings.ReplaceAll(m.Category, "_", " ")), 200),
		Tool: m.Tool, State: m.State}
	if m.Subject != summary.Retrieval {
		v.ID = m.Subject + ": " + m.ID
	}

	v.How, v.ReplacedBy = wording.Shorten(summary.How(m), 200), summary.ReplacedBy(m)
	return v
}
