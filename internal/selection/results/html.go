package results

import (
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"sync"

	"github.com/touchstone-eval/touchstone/internal/report/pagestyle"
	"github.com/touchstone-eval/touchstone/internal/selection/score"
)

//go:embed page.html
var pageText string

var pageTemplate = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("results").Funcs(template.FuncMap{
		"rate": rateText, "mean": meanText, "expected": expected, "verdict": verdict, "figure": shortFigure,
		"groups": func(of string, groups []score.Group) map[string]any {
			return map[string]any{"Of": of, "Groups": groups}
		},
		"why": func(o score.Observation) string { return cmp.Or(o.Error, o.Reasoning) },
	}).Parse(pageText))
})

// writeHTML writes a page that needs no other file: figures by model and by expected
// tool, what was chosen for what was expected, and every run.
func writeHTML(w io.Writer, r Results) error {
	return pageTemplate().Execute(w, map[string]any{
		"Title": r.Title, "Runs": r.Runs, "Models": score.By(r.Runs, score.ByModel),
		"Tools": score.By(r.Runs, score.ByTool), "Confusion": score.Confusion(r.Runs),
		"Said":  r.said,
		"Style": template.CSS(pagestyle.Tokens), // a constant of the program
	})
}

func rateText(r score.Rate) string {
	if r.Value == nil {
		return "–"
	}
	return fmt.Sprintf("%.1f%% [%.1f, %.1f], %d of %d", 100**r.Value, 100**r.Low, 100**r.High, r.Count, r.Of)
}

func meanText(m score.Mean) string {
	if m.Value == nil {
		return "–"
	}

	if m.Low == nil {
		return fmt.Sprintf("%.1f%%", 100**m.Value)
	}

	return fmt.Sprintf("%.1f%% [%.1f, %.1f]", 100**m.Value, 100**m.Low, 100**m.High)
}

func shortFigure(v *float64) string {
	if v == nil {
		return "–"
	}
	return fmt.Sprintf("%.2f", *v)
}
