package render

import (
	"fmt"
	"html"
	"html/template"
	"strings"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/report/summary"
	"github.com/touchstone-eval/touchstone/internal/report/wording"
	"github.com/touchstone-eval/touchstone/metrics"
)

// costView shows what discovery costs.
type costView struct {
	Head    []string
	Rows    [][]string
	Note    string
	Curve   template.HTML
	HasBase bool
	Said    string
}

// viewCost returns nil if the cost was not measured.
func viewCost(a *contracts.Aggregate) *costView {
	c := a.Retrieval.Cost
	if c == nil {
		return nil
	}

	v := &costView{Head: summary.CostHead, Note: costNote(a), HasBase: len(c.Baseline) > 0, Said: curveText(c.Curve)}
	for _, row := range summary.Costs(a, metrics.InTables) {
		v.Rows = append(v.Rows, row.Cells())
	}

	v.Curve = tokenCurve(c)
	return v
}

// costNote says what the figures rest on.
func costNote(a *contracts.Aggregate) string {
	c := a.Retrieval.Cost
	note := fmt.Sprintf("Tokens are counted with the encoding %s.", c.Tokenizer)
	if c.Queries < a.Retrieval.Queries {
		note += fmt.Sprintf(" The figures cover %d of %d queries: those that every run answered with at most "+
			"4 MiB.", c.Queries,
			a.Retrieval.Queries)
	}

	if _, ok := c.FigureByName(metrics.CostOwnToolsTokens); !ok {
		note += " The proxy's own tools are not counted."
	}

	if len(c.Curve) == 1 && c.Curve[0].K > 1 {
		note += " The answers do not mark the end of a result. Recall is therefore known for whole answers only."
	}

	return note
}

// curveText says the curve as a sentence.
func curveText(curve []contracts.CostCurveStep) string {
	if len(curve) == 0 {
		return "No query has a result."
	}
	said := make([]string, len(curve))
	for i, step := range curve {
		said[i] = fmt.Sprintf("%d: %s in %.0f tokens", step.K, wording.Figure(step.Recall), step.Tokens)
	}
	return "Recall at " + strings.Join(said, ", ") + "."
}

// tokenCurve draws recall against the tokens of the first results, and that of the
// baseline where it is known.
func tokenCurve(c *contracts.CostSummary) template.HTML {
	most := 1.0
	for _, curve := range [][]contracts.CostCurveStep{c.Curve, c.Baseline} {
		for _, step := range curve {
			most = max(most, step.Tokens)
		}
	}

	x := func(tokens float64) float64 { return curveLeft + tokens/most*(curveWidth-curveLeft-24) }
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="curve" viewBox="0 0 %g %g" width="%g" height="%g" role="img" aria-label="%s">`,
		curveWidth, curveHeight, curveWidth, curveHeight, html.EscapeString(curveText(c.Curve)))
	recallAxis(&b)
	for _, share := range []float64{0, 0.5, 1} {
		fmt.Fprintf(&b, `<text x="%.1f" y="%g" text-anchor="middle">%.0f</text>`, x(share*most), curveHeight-4,
			share*most)
	}

	drawSteps(&b, c.Baseline, x, "baseline", "dot other")
	drawSteps(&b, c.Curve, x, "line", "dot")
	b.WriteString(`</svg>`)
	return template.HTML(b.String())
}

func drawSteps(b *strings.Builder, curve []contracts.CostCurveStep, x func(float64) float64, line, dot string) {
	points := make([]string, len(curve))
	for i, step := range curve {
		points[i] = fmt.Sprintf("%.1f,%.1f", x(step.Tokens), recallHeight(step.Recall))
	}

	if len(points) > 1 {
		fmt.Fprintf(b, `<polyline class="%s" points="%s"/>`, line, strings.Join(points, " "))
	}

	for _, step := range curve {
		fmt.Fprintf(b, `<circle class="%s" cx="%.1f" cy="%.1f" r="2.5"/>`, dot, x(step.Tokens),
			recallHeight(step.Recall))
	}
}

func markdownCost(r *contracts.Report) []string {
	rows := summary.Costs(&r.Aggregate, metrics.InTables)
	if len(rows) == 0 {
		return nil
	}

	section := []string{wording.TableHead(summary.CostHead)}
	for _, row := range rows {
		section = append(section, "| "+strings.Join(row.Cells(), " | ")+" |\n")
	}

	return append(section, "\n"+costNote(&r.Aggregate)+"\n\n")
}
