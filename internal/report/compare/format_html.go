package compare

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"sync"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/report/wording"
)

//go:embed page/comparison.css
var comparisonCSS string

//go:embed page/comparison.html
var comparisonHTML string

var comparisonTemplate = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("comparison").Funcs(template.FuncMap{
		"row": comparedRow, "model": comparedModelRow, "rate": wording.Rate, "p": wording.Probability,
		"signed": wording.Signed, "shorten": wording.Shorten, "metric": wording.MetricName,
		"noAnswer": comparedNoAnswerRow, "noAnswerNote": comparedNoAnswerNote, "noAnswerQuery": comparedNoAnswerQuery,
		"relevant": contracts.RankedTool.Relevant,
	}).Parse(comparisonHTML))
})

// maxComparedQueries is the number of queries that the page shows. A browser
// gets slow with more, and nobody reads that many.
const maxComparedQueries = 500

// comparisonPage is the data of the template.
type comparisonPage struct {
	*Comparison
	Title, Verdict, Summary, Note string
	Head                          []string
	CostRows                      [][]string
	ModelHead                     []string
	Shown                         []Query
	More                          int
}

// HTML writes a comparison as one page that loads nothing and has no
// scripts.
func HTML(c *Comparison) ([]byte, error) {
	p := comparisonPage{
		Comparison: c, Title: fmt.Sprintf("Touchstone: %s → %s", wording.Shorten(c.A.Name, 100),
			wording.Shorten(c.B.Name, 100)),
		Verdict: comparedVerdict(c), Summary: comparedSummary(c), Note: notMeasured, Head: comparedHead,
		ModelHead: comparedModelHead(),
		Shown:     c.Queries[:min(len(c.Queries), maxComparedQueries)],
	}
	p.More = len(c.Queries) - len(p.Shown)
	if c.Cost != nil {
		p.CostRows, p.Note = costRows(c.Cost), costNote(c.Cost)
	}

	style := wording.Style + comparisonCSS
	var b bytes.Buffer
	b.WriteString(wording.PageHead(p.Title, style, ""))
	if err := comparisonTemplate().Execute(&b, p); err != nil {
		return nil, fmt.Errorf("cannot render the comparison: %w", err)
	}

	return wording.PlainPage(b.Bytes()), nil
}
