package compare

import (
	"fmt"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/report/wording"
	"github.com/touchstone-eval/touchstone/metrics"
)

// comparedRates are the rates of models that comparisons show.
var comparedRates = slices.DeleteFunc(metrics.SelectionRates(),
	func(r metrics.SelectionRate) bool { return r.Threshold == "" })

func comparedModelHead() []string {
	head := []string{"model", "cases"}
	for _, r := range comparedRates {
		head = append(head, r.Label+" A", "B")
	}
	return append(head, "lost", "won", "p")
}

func comparedModelRow(m Model) []string {
	name := m.Model
	if m.AnsweredBy == contracts.AnsweredByBaseline {
		name += " (a baseline)"
	}

	row := []string{name, fmt.Sprint(m.Cases)}
	for _, declared := range comparedRates {
		var r ModelRate
		if i := slices.IndexFunc(m.Rates, func(r ModelRate) bool { return r.Rate == declared.Name }); i >= 0 {
			r = m.Rates[i]
		}

		row = append(row, wording.Rate(r.A, r.AInterval), wording.Rate(r.B, r.BInterval))
	}

	lost := 0
	for _, c := range m.Changed {
		if c.Outcome == Loss {
			lost++
		}
	}

	return append(row, fmt.Sprint(lost), fmt.Sprint(len(m.Changed)-lost), wording.Probability(m.P))
}

func comparedModels(c *Comparison) []string {
	if len(c.Models) == 0 {
		return nil
	}

	rows := []string{"<details><summary>Tool selection</summary>\n\n" +
		wording.TableHead(append(comparedModelHead(), "changed cases"))}
	for _, m := range c.Models {
		cells := comparedModelRow(m)
		cells[0] = wording.Markdown(cells[0])
		changed := []string{}
		for _, x := range m.Changed[:min(len(m.Changed), 10)] {
			changed = append(changed, fmt.Sprintf("%s %s", x.Outcome, wording.Shorten(x.ID, 60)))
		}

		if n := len(m.Changed) - len(changed); n > 0 {
			changed = append(changed, fmt.Sprintf("and %d more", n))
		}

		rows = append(rows, fmt.Sprintf("| %s | %s |\n", strings.Join(cells, " | "),
			wording.Markdown(strings.Join(changed, ", "))))
	}

	return append(rows, "</details>\n\n")
}
