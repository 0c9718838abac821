package render

import (
	"cmp"
	"fmt"

	"github.com/touchstone-eval/touchstone/internal/compare"
)

// noAnswerHead is the head of the table of queries that no tool serves.
var noAnswerHead = []string{"queries that no tool serves", "A", "B"}

func comparedNoAnswerRow(r compare.NoAnswerRate) []string {
	return []string{metricName(r.Metric), rate(r.A, r.AInterval), rate(r.B, r.BInterval)}
}

// comparedNoAnswerNote counts the queries for which only one side finds nothing.
func comparedNoAnswerNote(n *compare.NoAnswer) string {
	lost := 0
	for _, q := range n.Changed {
		if q.Outcome == compare.Loss {
			lost++
		}
	}
	return fmt.Sprintf("Of %s that no tool serves, only A leaves %d without a tool and only B %d (McNemar p %s).",
		countOf(n.Queries, "1 query", "%d queries"), lost, len(n.Changed)-lost, probability(n.P))
}

// comparedNoAnswerQuery says what became of one such query.
func comparedNoAnswerQuery(q compare.NoAnswerQuery) string {
	return fmt.Sprintf("%s → %s", cmp.Or(shorten(q.A, 80), "empty"), cmp.Or(shorten(q.B, 80), "empty"))
}

func comparedNoAnswer(c *compare.Comparison) []string {
	if c.NoAnswer == nil {
		return nil
	}
	rows := []string{fmt.Sprintf("<details><summary>Queries that no tool serves: %d</summary>\n\n%s", c.NoAnswer.Queries, tableHead(noAnswerHead))}
	for _, r := range c.NoAnswer.Rates {
		cells := comparedNoAnswerRow(r)
		rows = append(rows, fmt.Sprintf("| %s | %s | %s |\n", cells[0], cells[1], cells[2]))
	}
	rows = append(rows, "\n"+comparedNoAnswerNote(c.NoAnswer)+"\n\n")
	for _, q := range c.NoAnswer.Changed {
		rows = append(rows, fmt.Sprintf("- %s %s: %s\n", q.Outcome, md(shorten(q.ID, 80)), md(comparedNoAnswerQuery(q))))
	}
	return append(rows, "</details>\n\n")
}
