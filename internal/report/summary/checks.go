// Package summary words a verdict and the figures behind it: the names and
// sentences of checks, the changed queries and entries, and the rows of the
// table of metrics. The terminal and every report take them from here, so that
// they say the same.
package summary

import (
	"fmt"
	"strconv"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/report/wording"
)

// Retrieval is the subject of checks and changes that are not a detector's or a
// model's.
const Retrieval = "retrieval"

// CheckName is the name of a check with its subject, unless that is Retrieval:
// "Recall@5", "tool poisoning: recall (scanner)".
func CheckName(c contracts.GateCheck) string {
	name := wording.MetricName(c.Metric)
	if c.Subject == Retrieval {
		if name == wording.Failed {
			name += " queries"
		}

		return name
	}

	return name + " (" + c.Subject + ")"
}

// CheckText compares the value of a check with its bound.
func CheckText(c contracts.GateCheck) string {
	return fmt.Sprintf("%s is %s, must be %s", CheckName(c), Value(c), Bound(c))
}

// Bound is the condition that a check sets: "≥ 0.329".
func Bound(c contracts.GateCheck) string {
	comparison := c.Comparison
	switch comparison {
	case "<=":
		comparison = "≤"
	case ">=":
		comparison = "≥"
	}
	return comparison + " " + checkFigure(c.Metric, c.Bound)
}

// Value is the value of a check: "0.329", or "3" of a count.
func Value(c contracts.GateCheck) string { return checkFigure(c.Metric, c.Value) }

func checkFigure(metric string, f float64) string {
	if wording.IsCount(metric) {
		return strconv.Itoa(int(f))
	}
	return wording.Figure(f)
}

// FailedChecks lists the checks that do not hold.
func FailedChecks(g *contracts.Gate) []contracts.GateCheck {
	var failed []contracts.GateCheck
	for _, c := range g.Checks {
		if !c.Passed {
			failed = append(failed, c)
		}
	}
	return failed
}
