package render

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/contracts"
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
	Moves      []firstMove
	MoreMoves  string
}

// firstCheck is a failed check in numbers. Interval, Change and Detectable are
// "–" for a figure that has none.
type firstCheck struct{ Name, Value, Interval, Bound, Change, Detectable string }

// firstMove is one of the worst moves: what it is, and what happened to it.
type firstMove struct{ ID, Title, Tool, How, DisplacedBy, State string }

// viewFirst returns the first screen, or nil if the gate passed.
func viewFirst(r *contracts.Report) *firstScreen {
	failed := failedChecks(&r.Gate)
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

	worst := worstMoves(&r.Gate)
	for _, m := range worst[:min(len(worst), maxFirstMoves)] {
		f.Moves = append(f.Moves, viewFirstMove(m))
	}

	if n := len(worst) - len(f.Moves); n > 0 {
		f.MoreMoves = wording.CountOf(n, "1 more got worse", "%d more got worse")
	}

	return f
}

func viewFirstCheck(c contracts.GateCheck, a *contracts.Aggregate) firstCheck {
	v := firstCheck{Name: checkName(c), Value: wording.Figure(c.Value), Interval: "–", Bound: sign(c.Comparison) + " " +
		wording.Figure(c.Bound), Change: "–", Detectable: "–"}
	if c.Interval != nil {
		v.Interval = wording.Figure(c.Interval.Low) + " to " + wording.Figure(c.Interval.High)
	}

	if c.Subject != retrieval {
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

// worstMoves lists what got worse: first what failed checks name, then by the
// fall in rank.
func worstMoves(g *contracts.Gate) []contracts.Move {
	blamed := make(map[[2]string]bool)
	for _, c := range failedChecks(g) {
		for _, id := range c.Moved {
			blamed[[2]string{c.Subject, id}] = true
		}
	}

	worse := slices.DeleteFunc(sortedMoves(g.Moves), func(m contracts.Move) bool {
		return m.State != contracts.MoveRegressed && m.State != contracts.MoveErrored
	})
	slices.SortStableFunc(worse, func(a, b contracts.Move) int {
		return boolOrder(!blamed[[2]string{a.Subject, a.ID}]) - boolOrder(!blamed[[2]string{b.Subject, b.ID}])
	})
	return worse
}

func viewFirstMove(m contracts.Move) firstMove {
	v := firstMove{ID: m.ID, Title: wording.Shorten(cmp.Or(m.Title, strings.ReplaceAll(m.Category, "_", " ")), 200),
		Tool: m.Tool, State: m.State}
	if m.Subject != retrieval {
		v.ID = m.Subject + ": " + m.ID
	}

	switch {
	case m.Error != "":
		v.How = "error: " + wording.Shorten(m.Error, 200)
	case m.Before != "" || m.After != "":
		v.How = fmt.Sprintf("%s → %s", cmp.Or(m.Before, "not there"), cmp.Or(m.After, "not there"))
	case m.RankBefore != nil || m.RankAfter != nil:
		v.How = fmt.Sprintf("rank %s → %s", rankText(m.RankBefore), rankText(m.RankAfter))
		v.DisplacedBy = m.DisplacedBy
	}

	return v
}
