package render

import (
	"fmt"
	"strings"
	"testing"

	"github.com/touchstone-eval/touchstone/contracts"
)

// The tables by carrier and technique count attacks only, and begin with what
// the first detector misses most.
func TestAttackTables(t *testing.T) {
	detector := func(name string, verdicts ...string) contracts.DetectorSummary {
		d := contracts.DetectorSummary{Runs: 1, Unstable: []string{}, Score: contracts.DetectorScore{Detector: name}}
		for i, verdict := range verdicts {
			e := contracts.EntrySummary{ID: fmt.Sprint(i), Label: contracts.LabelMalicious, Category: contracts.CategoryRugPull, Verdict: verdict, Signals: []string{}}
			e.Carrier, e.Technique = contracts.CarrierOutputSchema, "late-order"
			if i > 2 {
				e.Carrier, e.Technique = contracts.CarrierName, "false-name"
			}
			if i == 5 {
				e.Label, e.Category, e.Carrier, e.Technique = contracts.LabelBenign, contracts.CategoryBenign, "", ""
			}
			d.PerEntry = append(d.PerEntry, e)
		}
		return d
	}
	const f, c, e = contracts.VerdictFlagged, contracts.VerdictClean, contracts.VerdictErrored
	var r contracts.Report
	r.Aggregate.Detectors = []contracts.DetectorSummary{detector("scanner", f, f, c, c, e, f), detector("other", c, c, c, f, f, c)}
	var got []string
	for _, table := range viewAttacks(r.Aggregate.Detectors) {
		for _, row := range table.Rows {
			line := table.Head + " " + row.Name
			for _, cell := range row.Cells {
				line += " " + cell.Text
			}
			got = append(got, line)
		}
	}
	want := "Carrier name 0/2 (1 failed) 2/2, Carrier output schema 2/3 0/3, Technique false-name 0/2 (1 failed) 2/2, Technique late-order 2/3 0/3"
	if s := strings.Join(got, ", "); s != want {
		t.Errorf("%s\nwant %s", s, want)
	}
	text := string(Markdown(r))
	for _, want := range []string{"Attacks flagged, by carrier: 2", "| output schema | 2/3 | 0/3 |", "| late-order | 2/3 | 0/3 |"} {
		if !strings.Contains(text, want) {
			t.Errorf("report.md and %q:\n%s", want, text)
		}
	}
	page, err := HTML(r)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`aria-label="Attacks flagged, by technique"`, "most missed by scanner first", "scanner: 2 of 3 flagged, 95% interval 0.208 to 0.939"} {
		if !strings.Contains(string(page), want) {
			t.Errorf("report.html lacks %q", want)
		}
	}
	for i := range r.Aggregate.Detectors {
		for j := range r.Aggregate.Detectors[i].PerEntry {
			p := &r.Aggregate.Detectors[i].PerEntry[j]
			p.Carrier, p.Technique = "", ""
		}
	}
	if tables := viewAttacks(r.Aggregate.Detectors); tables != nil {
		t.Errorf("tables of a corpus that describes no attack: %+v", tables)
	}
}
