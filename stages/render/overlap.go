package render

import (
	"fmt"
	"strings"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/report/summary"
	"github.com/touchstone-eval/touchstone/internal/report/wording"
	"github.com/touchstone-eval/touchstone/metrics"
)

// outcome is the verdict in one word or two.
func outcome(g *contracts.Gate) string {
	switch {
	case g.NoVerdict != nil:
		return "no verdict"
	case g.Passed:
		return "passed"
	}
	return "failed"
}

// moved counts the moves, or is empty if nothing was judged.
func moved(g *contracts.Gate) string {
	if g.NoVerdict != nil {
		return ""
	}
	return summary.ChangesLine(g.Changes)
}

// coverageText says on how many queries and entries a verdict rests, if the baseline
// was made on other data.
func coverageText(g *contracts.Gate) string {
	if g.Data == nil || g.NoVerdict != nil {
		return ""
	}
	return fmt.Sprintf(" The verdict compares %s, which are the same in the data of the baseline.",
		commonParts(g.Data))
}

// commonParts counts what two versions of the data have in common.
func commonParts(d *contracts.DataComparison) string {
	text := fmt.Sprintf("%d of %d queries", d.Queries.Common, d.Queries.Now)
	if d.Entries.Now > 0 {
		text += fmt.Sprintf(" and %d of %d security entries", d.Entries.Common, d.Entries.Now)
	}
	return text
}

// changedNames are the names of the entries of a dataset: one and many.
var changedNames = map[string][2]string{
	contracts.KindGolden:   {"1 query", "%d queries"},
	contracts.KindSecurity: {"1 security entry", "%d security entries"},
	contracts.KindCases:    {"1 case", "%d cases"}, contracts.KindCorpus: {"1 tool", "%d tools"},
}

// maxChangedIDs is the number of ids that a line about changed data names.
const maxChangedIDs = 12

// changedData says which part of the data is compared with the baseline, and
// what is not in it, one line each. It is empty if the data are the same.
func changedData(g *contracts.Gate) []string {
	var lines []string
	d := g.Data
	if d == nil {
		return nil
	}

	compared := " in both, and only these are compared. Floors and ceilings apply to all"
	if g.NoVerdict != nil {
		compared = ""
	}

	why := fmt.Sprintf("%s is for other data (corpus %s, golden %s, security %s).",
		named("baseline", g.Baseline), d.Baseline.CorpusVersion, wording.Shorten(d.Baseline.GoldenVersion, 24),
		d.Baseline.SecurityVersion)
	if g.Split != "" {
		why = fmt.Sprintf("A quick run asks the queries of the split %s only.", g.Split)
	}
	lines = append(lines, fmt.Sprintf("%s %s are the same%s.", why, commonParts(d), compared))
	changes := d.Changes
	for _, kind := range []string{contracts.KindGolden, contracts.KindSecurity, contracts.KindCases,
		contracts.KindCorpus} {
		for _, state := range []string{contracts.ChangeEdited, contracts.ChangeNew, contracts.ChangeRemoved} {
			if line := changesOf(changes, kind, state); line != "" {
				lines = append(lines, line)
			}
		}
	}

	for _, a := range d.Apart {
		lines = append(lines, nonCommonLine(a))
	}

	return lines
}

// editedFrozen has an annotation for each dataset whose version is frozen with
// other bytes.
func editedFrozen(g *contracts.Gate) []annotation {
	var list []annotation
	for _, u := range g.Unfrozen {
		if u.State == contracts.StateChanged {
			version := wording.Shorten(u.Version, 24)
			list = append(list, annotation{title: "Touchstone: edited frozen data",
				message: fmt.Sprintf("%s %s is frozen, but the file was edited. These figures are for the edited "+
					"file. To make the edit the next version, run touchstone data next.", u.Kind, version)})
		}
	}
	return list
}

// changesOf names the changes of one kind and state, or returns "".
func changesOf(changes []contracts.DataChange, kind, state string) string {
	var ids []string
	n := 0
	for _, c := range changes {
		if c.Kind != kind || c.State != state {
			continue
		}

		if n++; n > maxChangedIDs {
			continue
		}

		id := c.ID
		if c.Tool != "" {
			id += fmt.Sprintf(" (its tool %s)", c.Tool)
		}

		ids = append(ids, id)
	}

	if n == 0 {
		return ""
	}

	line := fmt.Sprintf("%s %s: %s", wording.CountOf(n, changedNames[kind][0], changedNames[kind][1]), state,
		strings.Join(ids, ", "))
	if n > maxChangedIDs {
		line += fmt.Sprintf(" and %d more", n-maxChangedIDs)
	}

	return line + "."
}

// nonCommonLine compares the figures of the queries of one state, which are not
// judged.
func nonCommonLine(a contracts.ApartQueries) string {
	var figures []string
	for _, m := range metrics.Ranking() {
		now, isNow := a.Metrics[m.Name]
		before, was := a.Before[m.Name]
		if !m.Gated || !isNow && !was {
			continue
		}

		text := wording.MetricName(m.Name) + " "
		switch {
		case isNow && was:
			text += wording.Figure(before) + " → " + wording.Figure(now)
		case isNow:
			text += wording.Figure(now)
		default:
			text += wording.Figure(before)
		}

		figures = append(figures, text)
	}

	return fmt.Sprintf("Not judged: %s (%s).",
		wording.CountOf(a.Queries, "1 "+a.State+" query", "%d "+a.State+" queries"), strings.Join(figures, ", "))
}
