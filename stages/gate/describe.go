package gate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/report/summary"
)

// A description is for a terminal: it names at most this many ids of a check
// and at most this many moves, and prints the number of the rest.
const (
	shownIDs   = 5
	shownMoves = 10
)

// Describe summarises the verdict for people: one line for the verdict, one for
// each failed check and, if a check failed, the worst moves.
func Describe(g contracts.Gate) []string {
	if n := g.NoVerdict; n != nil {
		return append([]string{quickly(g) + "no verdict: " + n.Reason, "  " + n.Remedy}, overlapLines(g)...)
	}

	var failed []contracts.GateCheck
	for _, c := range g.Checks {
		if !c.Passed {
			failed = append(failed, c)
		}
	}

	if len(failed) == 0 {
		lines := []string{fmt.Sprintf("%sthe gate passed: %d checks against %s", quickly(g), len(g.Checks), g.Baseline)}
		return slices.Concat(lines, overlapLines(g), unjudgedLines(g), countLine(g))
	}

	lines := []string{fmt.Sprintf("%sthe gate FAILED: %d of %d checks against %s", quickly(g), len(failed),
		len(g.Checks), g.Baseline)}
	for _, c := range failed {
		lines = append(lines, describeCheck(c))
	}

	return slices.Concat(lines, overlapLines(g), unjudgedLines(g), countLine(g), worst(g))
}

// quickly marks the verdict of a quick run.
func quickly(g contracts.Gate) string {
	if g.Split == "" {
		return ""
	}
	return "quick run (split " + g.Split + ", one run): "
}

func unjudgedLines(g contracts.Gate) []string {
	var lines []string
	byNote := make(map[string][]string)
	var notes []string
	for _, m := range g.Unjudged {
		if m.State == contracts.Unjudged {
			if byNote[m.Note] == nil {
				notes = append(notes, m.Note)
			}

			byNote[m.Note] = append(byNote[m.Note], m.Subject)
			continue
		}

		lines = append(lines, fmt.Sprintf("  %s %s is %s: %s", m.Subject, m.Metric, m.State, m.Note))
	}

	for _, note := range notes {
		lines = append(lines, fmt.Sprintf("  not judged: %s (%s)", strings.Join(byNote[note], ", "), note))
	}

	for _, w := range g.Warnings {
		lines = append(lines, "  warning: "+w)
	}

	return lines
}

func describeCheck(c contracts.GateCheck) string {
	line := fmt.Sprintf("  %s: %s", summary.CheckText(c), c.Rule)
	if len(c.Changed) == 0 {
		return line
	}
	shown := c.Changed[:min(len(c.Changed), shownIDs)]
	line += "; changed: " + strings.Join(shown, ", ")
	if more := len(c.Changed) - len(shown); more > 0 {
		line += fmt.Sprintf(" and %d more", more)
	}
	return line
}

func countLine(g contracts.Gate) []string {
	changes := summary.Changes(g.Changes)
	if changes == "" {
		return nil
	}
	return []string{"  changed since " + g.Baseline + ": " + changes}
}

// worst describes the first changes for the worse.
func worst(g contracts.Gate) []string {
	worse := summary.Worse(&g)
	var lines []string
	for _, m := range worse[:min(len(worse), shownMoves)] {
		name := m.ID
		if m.Subject != summary.Retrieval {
			name = m.Subject + ": " + name
		}

		lines = append(lines, fmt.Sprintf("  %s %s: %s", summary.StateName(m.State), name, summary.Explanation(m)))
	}

	if more := len(worse) - len(lines); more > 0 {
		lines = append(lines, fmt.Sprintf("  and %d more for the worse", more))
	}

	return lines
}
