package summary

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/report/wording"
)

// States are the states of a change, the most severe first: what failed, what
// got worse, what was removed or cannot be compared, and what got better.
var States = []string{
	contracts.ChangeErrored, contracts.ChangeRegressed, contracts.ChangeRemoved, contracts.ChangeEdited,
	contracts.ChangeNew, contracts.ChangeFixed,
}

// stateNames are the words for the states that are not words themselves.
var stateNames = map[string]string{contracts.ChangeErrored: "failed"}

// StateName is the word for a state.
func StateName(state string) string { return cmp.Or(stateNames[state], state) }

// Changes counts the changed queries, entries and cases by state: "2 regressed,
// 1 fixed". It is empty if there are none.
func Changes(moves []contracts.Change) string {
	counts := make(map[string]int)
	for _, m := range moves {
		counts[m.State]++
	}

	var parts []string
	for _, state := range States {
		if counts[state] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", counts[state], StateName(state)))
		}
	}

	return strings.Join(parts, ", ")
}

// ChangesLine is Changes as a sentence.
func ChangesLine(moves []contracts.Change) string {
	changes := Changes(moves)
	if changes == "" {
		return "No query or entry changed against the baseline."
	}
	return fmt.Sprintf("%s: %s.", wording.CountOf(len(moves), "1 query or entry changed",
		"%d queries and entries changed"), changes)
}

// Worse lists the changes for the worse: first those that a failed check names,
// and otherwise in the order of the verdict, the most severe first.
func Worse(g *contracts.Gate) []contracts.Change {
	blamed := Blamed(g)
	var first, rest []contracts.Change
	for _, m := range g.Changes {
		switch {
		case !ForTheWorse(m):
		case blamed(m):
			first = append(first, m)
		default:
			rest = append(rest, m)
		}
	}

	return append(first, rest...)
}

// ForTheWorse reports whether a query, an entry or a case failed or got worse.
func ForTheWorse(m contracts.Change) bool {
	return m.State == contracts.ChangeRegressed || m.State == contracts.ChangeErrored
}

// Blamed returns a function that reports whether a failed check names a change.
func Blamed(g *contracts.Gate) func(contracts.Change) bool {
	named := make(map[[2]string]bool)
	for _, c := range FailedChecks(g) {
		for _, id := range c.Changed {
			named[[2]string{c.Subject, id}] = true
		}
	}
	return func(m contracts.Change) bool { return named[[2]string{m.Subject, m.ID}] }
}

// How says what happened to a query, an entry or a case: the rank before and
// after, or the verdict, or the error.
func How(m contracts.Change) string {
	switch {
	case m.Error != "":
		return "error: " + m.Error
	case m.Before != "" || m.After != "":
		return fmt.Sprintf("%s → %s", cmp.Or(m.Before, "none"), cmp.Or(m.After, "none"))
	case m.RankBefore != nil || m.RankAfter != nil:
		return fmt.Sprintf("rank %s → %s", rank(m.RankBefore), rank(m.RankAfter))
	}
	return ""
}

// Explanation is How with the tool that it is about, and the tool that took its
// rank.
func Explanation(m contracts.Change) string {
	text := How(m)
	if m.Error != "" || m.RankBefore == nil && m.RankAfter == nil {
		return text
	}

	if m.Tool != "" {
		text += " for " + m.Tool
	}

	if by := ReplacedBy(m); by != "" {
		text += ", replaced by " + by
	}

	return text
}

// ReplacedBy is the tool that took the rank of the best relevant tool, or empty.
func ReplacedBy(m contracts.Change) string {
	if m.State == contracts.ChangeFixed || m.Error != "" {
		return ""
	}
	return m.ReplacedBy
}

func rank(r *int) string {
	if r == nil {
		return "not in the top 10"
	}
	return fmt.Sprint(*r)
}
