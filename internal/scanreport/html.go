package scanreport

import (
	_ "embed"
	"html/template"
	"io"
	"sync"

	"github.com/touchstone-eval/touchstone/internal/safetext"
)

//go:embed page/report.html
var page string

// pageTemplate escapes text for its context. Visible also shows characters
// that a browser would act on without drawing them.
var pageTemplate = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("report").Funcs(template.FuncMap{
		"visible": safetext.Visible, "name": safetext.Name, "places": placesText,
	}).Parse(page))
})

// WriteHTML writes the result as one page without scripts or external resources.
func (r *Result) WriteHTML(w io.Writer) error {
	return pageTemplate().Execute(w, struct {
		*Result
		Summary  string
		Sections []section
	}{r, r.summary(), r.sections()})
}
