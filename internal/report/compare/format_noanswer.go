package compare

import (
	"cmp"
	"fmt"

	"github.com/touchstone-eval/touchstone/internal/report/wording"
)

// noAnswerHead is the head of the table of unanswerable queries.
var noAnswerHead = []string{"unanswerable queries", "A", "B"}

func comparedNoAnswerRow(r NoAnswerRate) []string {
	return []string{wording.MetricName(r.Metric), wording.Rate(r.A, r.AInterval), wording.Rate(r.B, r.BInterval)}
}

// comparedNoAnswerNote counts the queries for which only one side finds nothing.
func comparedNoAnswerNote(n *NoAnswer) string {
	lost := 0
	for _, q := range n.Changed {
		if q.Outcome == Loss {
			lost++
		}
	}
	return fmt.Sprintf("Of %s, only A leaves %d without a tool and only B %d (McNemar p %s).",
		wording.CountOf(n.Queries, "1 unanswerable query", "%d unanswerable queries"),
		lost, len(n.Changed)-lost, wording.Probability(n.P))
}

// comparedNoAnswerQuery says what became of one such query.
func comparedNoAnswerQuery(q NoAnswerQuery) string {
	return fmt.Sprintf("%s → %s", cmp.Or(wording.Shorten(q.A, 80), "empty"), cmp.Or(wording.Shorten(q.B, 80), "empty"))
}

func comparedNoAnswer(c *Comparison) []string {
	if c.NoAnswer == nil {
		return nil
	}

	rows := []string{fmt.Sprintf("<details><summary>Unanswerable queries: %d</summary>\n\n%s",
		c.NoAnswer.Queries, wording.TableHead(noAnswerHead))}
	for _, r := range c.NoAnswer.Rates {
		cells := comparedNoAnswerRow(r)
		rows = append(rows, fmt.Sprintf("| %s | %s | %s |\n", cells[0], cells[1], cells[2]))
	}

	rows = append(rows, "\n"+comparedNoAnswerNote(c.NoAnswer)+"\n\n")
	for _, q := range c.NoAnswer.Changed {
		rows = append(rows, fmt.Sprintf("- %s %s: %s\n", q.Outcome, wording.Markdown(wording.Shorten(q.ID, 80)),
			wording.Markdown(comparedNoAnswerQuery(q))))
	}

	return append(rows, "</details>\n\n")
}
