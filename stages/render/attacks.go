package render

import (
	"cmp"
	"fmt"
	"html/template"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/report/wording"
	"github.com/touchstone-eval/touchstone/metrics"
)

// attackTable counts the attacks that each detector flags, by something that the
// security corpus says of an attack. Detectors are the columns.
type attackTable struct {
	Title, Head string
	Rows        []categoryRow
}

// viewAttacks makes the tables by carrier and by technique. It leaves out a table
// about which the corpus says nothing.
func viewAttacks(detectors []contracts.DetectorSummary) []attackTable {
	var tables []attackTable
	for _, by := range []struct {
		title, head string
		of          func(contracts.EntrySummary) string
	}{
		{"Attacks flagged, by carrier", "Carrier", func(e contracts.EntrySummary) string { return e.Carrier }},
		{"Attacks flagged, by technique", "Technique", func(e contracts.EntrySummary) string { return e.Technique }},
	} {
		if rows := attackRows(detectors, by.of); len(rows) > 0 {
			tables = append(tables, attackTable{by.title, by.head, rows})
		}
	}

	return tables
}

// attackRows makes one row for each value and one cell for each detector. The
// values of which the first detector misses most attacks come first.
func attackRows(detectors []contracts.DetectorSummary, of func(contracts.EntrySummary) string) []categoryRow {
	counts := make(map[string][]contracts.CategoryScore)
	for i, d := range detectors {
		for _, e := range d.PerEntry {
			value := of(e)
			if value == "" || e.Label != contracts.LabelMalicious {
				continue
			}

			if counts[value] == nil {
				counts[value] = make([]contracts.CategoryScore, len(detectors))
			}

			c := &counts[value][i]
			c.Category = value
			c.Total++
			switch e.Verdict {
			case contracts.VerdictFlagged:
				c.Flagged++
			case contracts.VerdictErrored:
				c.Errored++
			}
		}
	}

	values := make([]string, 0, len(counts))
	for value := range counts {
		values = append(values, value)
	}

	missed := func(value string) int { return counts[value][0].Total - counts[value][0].Flagged }
	slices.SortFunc(values, func(a, b string) int {
		return cmp.Or(cmp.Compare(missed(b), missed(a)), cmp.Compare(counts[b][0].Total, counts[a][0].Total),
			strings.Compare(a, b))
	})
	rows := make([]categoryRow, len(values))
	for i, value := range values {
		rows[i].Name = wording.Shorten(strings.ReplaceAll(value, "_", " "), 100)
		for j, c := range counts[value] {
			rows[i].Cells = append(rows[i].Cells, flaggedCell(detectors[j].Score.Detector, c, true))
		}
	}

	return rows
}

// flaggedCell shows how many entries a detector flagged. Attacks are flagged
// rightly, other entries wrongly.
func flaggedCell(detector string, c contracts.CategoryScore, attack bool) categoryCell {
	if c.Total == 0 {
		return categoryCell{Text: "–", Class: "none"}
	}

	cell := categoryCell{Text: fmt.Sprintf("%d/%d", c.Flagged, c.Total), Class: "alarm"}
	cell.Title = fmt.Sprintf("%s: %d of %d flagged", detector, c.Flagged, c.Total)
	if i, ok := metrics.Wilson(c.Flagged, c.Total); ok {
		cell.Title += fmt.Sprintf(", 95%% interval %s to %s", wording.Figure(i.Low), wording.Figure(i.High))
	}

	if attack {
		cell.Class = "caught"
	}

	if c.Errored > 0 {
		cell.Text += fmt.Sprintf(" (%d failed)", c.Errored)
	}

	share := float64(c.Flagged) / float64(c.Total)
	cell.Bar = template.HTML(fmt.Sprintf(`<svg class="share" viewBox="0 0 60 6" width="60" height="6" aria-hidden="true"><rect class="whole" width="60" height="6" rx="3"/><rect class="part" width="%.1f" height="6" rx="3"/></svg>`, share*60))
	return cell
}

// markdownAttacks are the sections of report.md with these tables. Where the
// comment has too little room, the last rows are left out.
func markdownAttacks(r *contracts.Report) [][]string {
	var sections [][]string
	for _, t := range viewAttacks(r.Aggregate.Detectors) {
		head := []string{strings.ToLower(t.Head)}
		for _, d := range r.Aggregate.Detectors {
			head = append(head, wording.Markdown(d.Score.Detector))
		}

		rows := []string{fmt.Sprintf("<details><summary>%s: %d</summary>\n\n%s", t.Title, len(t.Rows),
			wording.TableHead(head))}
		for _, row := range t.Rows {
			line := "| " + wording.Markdown(row.Name)
			for _, c := range row.Cells {
				line += " | " + c.Text
			}

			rows = append(rows, line+" |\n")
		}

		sections = append(sections, append(rows, "</details>\n\n"))
	}

	return sections
}
