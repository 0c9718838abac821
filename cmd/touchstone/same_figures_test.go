package main

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"html"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/report/summary"
	"github.com/touchstone-eval/touchstone/internal/report/wording"
	"github.com/touchstone-eval/touchstone/metrics"
)

// sameFigures checks that every surface shows the same figures of one gate, and
// the same ones as report.json when they are rounded:
//
//	samefigures BEFORE AFTER TABLE COMPARED
//
// BEFORE and AFTER are directories of reports, where AFTER was judged with the
// figures of BEFORE as its baseline. TABLE is what the gate printed, and COMPARED
// what compare BEFORE AFTER --json did.
func sameFigures(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 4 {
		ts.Fatalf("usage: samefigures BEFORE AFTER TABLE COMPARED")
	}

	read := func(parts ...string) string { return ts.ReadFile(filepath.Join(parts...)) }
	report := decoded[contracts.Report](ts, read(args[1], "report.json"))
	before := decoded[contracts.Report](ts, read(args[0], "report.json"))
	compared := decoded[struct{ Metrics []comparedFigure }](ts, read(args[3]))
	terminal, markdown := read(args[2]), read(args[1], "report.md")
	page, junit := textOfPage(read(args[1], "report.html")), textOfJUnit(ts, read(args[1], "junit.xml"))

	for i, m := range report.Aggregate.Retrieval.Metrics {
		c := m.Comparison
		if c == nil {
			ts.Fatalf("%s was not compared", m.Metric)
		}

		if was := before.Aggregate.Retrieval.Metrics[i].Mean; was != c.Baseline {
			ts.Fatalf("%s: the baseline has %v, the report before %v", m.Metric, c.Baseline, was)
		}

		at := -1
		for k, x := range compared.Metrics {
			if x.Metric == m.Metric {
				at = k
			}
		}

		want := comparedFigure{m.Metric, c.Baseline, m.Mean, c.Delta, c.DeltaInterval, c.PValue, c.Verdict}
		if at < 0 || compared.Metrics[at] != want {
			ts.Fatalf("compare shows %+v, the report %+v", compared.Metrics, want)
		}

		label, value, baseline := wording.MetricName(m.Metric), wording.Figure(m.Mean), wording.Figure(c.Baseline)
		change := wording.VerdictSign(c.Verdict) + " " + wording.Signed(c.Delta)
		interval, p := wording.Range(c.DeltaInterval), wording.Probability(c.PValue)
		row := func(cells ...string) string { return strings.Join(cells, " ") }
		for surface, shows := range map[string][2]string{
			"terminal": {fields(terminal), row(label, baseline, value, change, interval, p)},
			"markdown": {fields(strings.ReplaceAll(markdown, "|", " ")), row(label, value, wording.Range(m.Interval),
				baseline, change, interval, p)},
			"page": {page, row(label, value, wording.Range(m.Interval), baseline, change, interval, p)},
			"card": {page, row(label, value, change, wording.Range(m.Interval), "· baseline", baseline, "change",
				interval+",", "p", p)},
			"junit": {junit, fmt.Sprintf("%s is %s, must be", label, value)},
		} {
			if !strings.Contains(shows[0], fields(html.UnescapeString(shows[1]))) {
				ts.Fatalf("%s does not show %q", surface, shows[1])
			}
		}
	}

	for _, c := range summary.Costs(&report.Aggregate, metrics.InTables) {
		if c.Baseline == "new" {
			ts.Fatalf("%s was not compared", c.Name)
		}

		for surface, shows := range map[string][2]string{
			"terminal": {fields(terminal), strings.Join([]string{c.Label, c.Baseline, c.Value, c.Range, c.Change}, " ")},
			"markdown": {fields(strings.ReplaceAll(markdown, "|", " ")), strings.Join(c.Cells(), " ")},
			"page":     {page, strings.Join(c.Cells(), " ")},
		} {
			if !strings.Contains(shows[0], fields(shows[1])) {
				ts.Fatalf("%s does not show %q", surface, shows[1])
			}
		}
	}
}

// comparedFigure is one metric of compare --json.
type comparedFigure struct {
	Metric        string             `json:"metric"`
	A             float64            `json:"a"`
	B             float64            `json:"b"`
	Delta         float64            `json:"delta"`
	DeltaInterval contracts.Interval `json:"delta_interval"`
	PValue        float64            `json:"p_value"`
	Verdict       string             `json:"verdict"`
}

func decoded[T any](ts *testscript.TestScript, data string) (v T) {
	ts.Check(json.Unmarshal([]byte(data), &v))
	return v
}

// fields joins the words of a text by single spaces.
func fields(text string) string { return strings.Join(strings.Fields(text), " ") }

var (
	svgs = regexp.MustCompile(`(?s)<svg.*?</svg>`)
	tags = regexp.MustCompile(`<[^>]*>`)
)

// textOfPage is the visible text of the markup.
func textOfPage(page string) string {
	page, _, _ = strings.Cut(page, "<script")
	return fields(html.UnescapeString(tags.ReplaceAllString(svgs.ReplaceAllString(page, " "), " ")))
}

// textOfJUnit is the text of all results.
func textOfJUnit(ts *testscript.TestScript, data string) string {
	var text strings.Builder
	for d := xml.NewDecoder(strings.NewReader(data)); ; {
		token, err := d.Token()
		if err != nil {
			return fields(text.String())
		}

		switch t := token.(type) {
		case xml.CharData:
			text.Write(t)
		case xml.StartElement:
			for _, a := range t.Attr {
				text.WriteString(" " + a.Value + " ")
			}
		}
	}
}
