package gate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/contracts"
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
		return append([]string{"no verdict: " + n.Reason, "  " + n.Remedy}, overlapLines(g)...)
	}

	var failed []contracts.GateCheck
	for _, c := range g.Checks {
		if !c.Passed {
			failed = append(failed, c)
		}
	}

	if len(failed) == 0 {
		lines := []string{fmt.Sprintf("the gate passed: %d checks against %s", len(g.Checks), g.Baseline)}
		return slices.Concat(lines, overlapLines(g), unjudgedLines(g), countLine(g))
	}

	lines := []string{fmt.Sprintf("the gate FAILED: %d of %d checks against %s", len(failed), len(g.Checks),
		g.Baseline)}
	for _, c := range failed {
		lines = append(lines, describeCheck(c))
	}

	return slices.Concat(lines, overlapLines(g), unjudgedLines(g), countLine(g), worst(g.Moves))
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
	line := fmt.Sprintf("  %s %s is %.4f, must be %s %.4f: %s", c.Subject, c.Metric, c.Value, c.Comparison, c.Bound,
		c.Rule)
	if len(c.Moved) == 0 {
		return line
	}
	shown := c.Moved[:min(len(c.Moved), shownIDs)]
	line += "; moved: " + strings.Join(shown, ", ")
	if more := len(c.Moved) - len(shown); more > 0 {
		line += fmt.Sprintf(" and %d more", more)
	}
	return line
}

func countLine(g contracts.Gate) []string {
	var parts []string
	for _, state := range severity {
		if n := g.Counts[state]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, state))
		}
	}
	if len(parts) == 0 {
		return nil
	}
	return []string{"  since " + g.Baseline + ": " + strings.Join(parts, ", ")}
}

// worst describes the first moves that are for the worse.
func worst(moves []contracts.Move) []string {
	var lines []string
	more := 0
	for _, m := range moves {
		if m.State != contracts.MoveErrored && m.State != contracts.MoveRegressed {
			continue
		}

		if len(lines) == shownMoves {
			more++
			continue
		}

		lines = append(lines, "  "+describeMove(m))
	}

	if more > 0 {
		lines = append(lines, fmt.Sprintf("  and %d more for the worse", more))
	}

	return lines
}

func describeMove(m contracts.Move) string {
	line := fmt.Sprintf("%s %s %s", m.Subject, m.ID, m.State)
	switch {
	case m.Error != "":
		return line + ": " + m.Error
	case m.Before != "" && m.Category == "":
		return fmt.Sprintf("%s: was %s and now %s", line, m.Before, m.After)
	case m.Before != "":
		return fmt.Sprintf("%s: %s entry was %s and is %s", line, m.Category, m.Before, m.After)
	case m.Tool != "":
		line += fmt.Sprintf(": %s was %s and is %s", m.Tool, rank(m.RankBefore), rank(m.RankAfter))
		if m.DisplacedBy != "" && m.State != contracts.MoveFixed {
			line += "; " + m.DisplacedBy + " now has its rank"
		}
	}

	return line
}

func rank(r *int) string {
	if r == nil {
		return "not in the list"
	}
	return fmt.Sprintf("at rank %d", *r)
}
