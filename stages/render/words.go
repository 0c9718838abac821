package render

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/report/wording"
	"github.com/touchstone-eval/touchstone/metrics"
)

// named puts a noun before a name that does not begin with it.
func named(noun, name string) string {
	if strings.HasPrefix(name, noun) {
		return name
	}
	return noun + " " + name
}

// change formats a comparison: "~" if it is within noise, otherwise an arrow.
func change(c *contracts.MetricComparison) string {
	if c == nil {
		return ""
	}
	return wording.VerdictSign(c.Verdict) + " " + wording.Signed(c.Delta)
}

// verdict is the summary of all checks as a sentence, and on which part of the
// data it rests, if not on all.
func verdict(g *contracts.Gate) string { return checksLine(g) + coverageText(g) }

func checksLine(g *contracts.Gate) string {
	failed := failedChecks(g)
	switch {
	case g.NoVerdict != nil:
		return fmt.Sprintf("%s. To get one, %s.", g.NoVerdict.Reason, g.NoVerdict.Remedy)
	case len(g.Checks) == 0:
		return "Nothing was judged: the baseline sets no bound that applies."
	case !g.Passed && len(failed) == 0:
		return "The gate failed although every check passed."
	case g.Passed:
		return fmt.Sprintf("%s.", wording.CountOf(len(g.Checks), "The only check passed", "All %d checks passed"))
	}

	var parts []string
	for i, c := range failed {
		if i == 3 {
			parts = append(parts, fmt.Sprintf("and %d more", len(failed)-3))
			break
		}

		parts = append(parts, checkText(c))
	}

	return failedCount(g) + ": " + strings.Join(parts, "; ") + "."
}

// checkText compares the value of a check with its bound.
func checkText(c contracts.GateCheck) string {
	return fmt.Sprintf("%s is %s, must be %s %s", checkName(c), wording.Figure(c.Value), sign(c.Comparison),
		wording.Figure(c.Bound))
}

// failedCount counts the failed checks: "2 of 8 checks fail".
func failedCount(g *contracts.Gate) string {
	n := len(failedChecks(g))
	switch {
	case len(g.Checks) == 1:
		return "The only check fails"
	case n == 1:
		return fmt.Sprintf("1 of %d checks fails", len(g.Checks))
	}
	return fmt.Sprintf("%d of %d checks fail", n, len(g.Checks))
}

// degraded reports that the index was degraded on purpose. It is empty if it
// was not.
func degraded(a *contracts.Aggregate) string {
	if a.Degraded == "" {
		return ""
	}
	return fmt.Sprintf("The index was degraded on purpose: %s.", a.Degraded)
}

func sign(comparison string) string {
	switch comparison {
	case "<=":
		return "≤"
	case ">=":
		return "≥"
	}
	return comparison
}

// checkName is the name of a check with its subject, unless that is retrieval.
func checkName(c contracts.GateCheck) string {
	if c.Subject == retrieval {
		return wording.MetricName(c.Metric)
	}
	return c.Subject + " " + wording.MetricName(c.Metric)
}

// retrieval is the subject of checks and moves that are not a detector's.
const retrieval = "retrieval"

// shown reports whether a ranking metric is shown at a place. A metric that
// this version does not declare is shown everywhere.
func shown(metric string, at metrics.Place) bool {
	m, ok := metrics.RankingByName(metric)
	return !ok || m.Shown&at != 0
}

// unjudged lists the metrics that cannot be compared with the baseline, one
// line each, and the detectors without a threshold, one line for each reason.
func unjudged(g *contracts.Gate) []string {
	var lines, notes []string
	detectors := make(map[string][]string)
	for _, m := range g.Unjudged {
		if m.State == contracts.Unjudged {
			if detectors[m.Note] == nil {
				notes = append(notes, m.Note)
			}

			detectors[m.Note] = append(detectors[m.Note],
				fmt.Sprintf("%s (recall %s)", m.Subject, wording.Figure(m.Value)))
			continue
		}

		lines = append(lines, fmt.Sprintf("%s (%s) is %s: %s.", wording.MetricName(m.Metric), wording.Figure(m.Value),
			m.State, m.Note))
	}

	for _, note := range notes {
		lines = append(lines, fmt.Sprintf("Not judged: %s (%s).", strings.Join(detectors[note], ", "), note))
	}

	return lines
}

func failedChecks(g *contracts.Gate) []contracts.GateCheck {
	var failed []contracts.GateCheck
	for _, c := range g.Checks {
		if !c.Passed {
			failed = append(failed, c)
		}
	}
	return failed
}

// answers describes failed and faulty answers of the proxy. It is empty if
// there are none.
func answers(a *contracts.Aggregate) string {
	r, text := &a.Retrieval, ""
	if r.Errored > 0 {
		text = fmt.Sprintf("%d of %d queries failed and count as missed. ", r.Errored, r.Queries)
	}
	if i := slices.IndexFunc(r.PerQuery, func(q contracts.QuerySummary) bool { return len(q.Anomalies) > 0 }); i >= 0 {
		text += fmt.Sprintf("%s had results that cannot be scored, first that to %s: %s.",
			wording.CountOf(r.Anomalous, "1 answer", "%d answers"),
			r.PerQuery[i].ID, strings.Join(r.PerQuery[i].Anomalies, "; "))
	}
	return strings.TrimSpace(text)
}

// stateOrder is the order in which moves are shown: losses first.
var stateOrder = []string{contracts.MoveRegressed, contracts.MoveErrored, contracts.MoveRemoved, contracts.MoveEdited,
	contracts.MoveNew, contracts.MoveFixed}

// sortedMoves sorts moves by state, then by the size of the fall.
func sortedMoves(moves []contracts.Move) []contracts.Move {
	out := slices.Clone(moves)
	slices.SortStableFunc(out, func(a, b contracts.Move) int {
		return cmp.Or(
			cmp.Compare(slices.Index(stateOrder, a.State), slices.Index(stateOrder, b.State)),
			cmp.Compare(a.Subject, b.Subject),
			cmp.Compare(reciprocalRankDrop(b), reciprocalRankDrop(a)),
			cmp.Compare(a.ID, b.ID))
	})
	return out
}

// reciprocalRankDrop is the decrease of 1/rank in a move.
func reciprocalRankDrop(m contracts.Move) float64 {
	return math.Abs(inverse(m.RankBefore) - inverse(m.RankAfter))
}

func inverse(rank *int) float64 {
	if rank == nil || *rank < 1 {
		return 0
	}
	return 1 / float64(*rank)
}

// movesLine counts moves: "3 queries and entries moved: 2 regressed, 1 fixed".
func movesLine(moves []contracts.Move) string {
	counts := make(map[string]int)
	for _, m := range moves {
		counts[m.State]++
	}

	var parts []string
	for _, s := range stateOrder {
		if counts[s] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", counts[s], s))
		}
	}

	if len(parts) == 0 {
		return "Nothing moved against the baseline."
	}

	return fmt.Sprintf("%s: %s.", wording.CountOf(len(moves), "1 query or entry moved", "%d queries and entries moved"),
		strings.Join(parts, ", "))
}

// why explains a move in a clause: before, now, and which tool has its rank.
func why(m contracts.Move) string {
	var b strings.Builder
	switch {
	case m.Error != "":
		b.WriteString("error: " + m.Error)
	case m.Before != "" || m.After != "":
		fmt.Fprintf(&b, "%s → %s", cmp.Or(m.Before, "not there"), cmp.Or(m.After, "not there"))
	case m.RankBefore != nil || m.RankAfter != nil:
		fmt.Fprintf(&b, "rank %s → %s", rankText(m.RankBefore), rankText(m.RankAfter))
		if m.Tool != "" {
			fmt.Fprintf(&b, " for %s", m.Tool)
		}

		if m.DisplacedBy != "" && m.State != contracts.MoveFixed {
			fmt.Fprintf(&b, ", displaced by %s", m.DisplacedBy)
		}
	}

	return b.String()
}

func rankText(rank *int) string {
	if rank == nil {
		return "none"
	}
	return fmt.Sprint(*rank)
}
