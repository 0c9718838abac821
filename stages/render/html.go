package render

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"strings"
	"sync"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/report/wording"
)

//go:embed page/page.js
var pageScript string

//go:embed page/history.js
var historyScript string

// pageJS is the only script of the report.
var pageJS = pageScript + historyScript

//go:embed page/body.html
var bodyHTML string

// bodyTemplate is parsed when a page is made, not when the program starts.
var bodyTemplate = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("body").Parse(bodyHTML))
})

// The data of the page and of the run are in script elements that no browser
// executes. The page's script reads them.
const (
	dataOpen    = `<script id="touchstone-data" type="application/json">`
	movesOpen   = `<script id="touchstone-moves" type="text/plain">`
	queriesOpen = `<script id="touchstone-queries" type="text/plain">`
	runOpen     = `<script id="touchstone-run" type="application/json">`
	closing     = `</script>`
)

// HTML writes report.html: one file that loads nothing. Verdict, figures and
// plots are in the markup and readable without scripts. Lists that can be long
// are data, which the script shows page by page.
//
// The policy in its head allows only one style and one script, by their
// digests. A string that got past the escaping could therefore neither run nor
// load anything.
func HTML(r contracts.Report) ([]byte, error) {
	p := newPage(&r)
	var b bytes.Buffer
	b.WriteString(wording.PageHead(p.Title, wording.Style, pageJS))
	if err := bodyTemplate().Execute(&b, p); err != nil {
		return nil, fmt.Errorf("cannot render report.html: %w", err)
	}

	foot := strings.Join([]string{runOpen, "null", closing, "\n<script>", pageJS, closing, "\n</body>\n</html>\n"}, "")
	tags := strings.Join([]string{dataOpen, movesOpen, queriesOpen, closing, "\n", closing, "\n", closing, "\n"}, "")
	data, err := embed(&r, pageBudget-b.Len()-len(tags)-len(foot))
	if err != nil {
		return nil, err
	}

	for _, part := range []struct {
		open string
		data []byte
	}{{dataOpen, data.Head}, {movesOpen, data.Changes}, {queriesOpen, data.Queries}} {
		b.WriteString(part.open)
		b.Write(part.data)
		b.WriteString(closing + "\n")
	}

	b.WriteString(foot)
	return wording.PlainPage(b.Bytes()), nil
}

// WithRun adds the summary of the pipeline's run to a report.html. The stage
// cannot do that, because its output depends on its inputs alone, so the
// command line does it when it publishes the page. A second call replaces the
// summary of the first.
func WithRun(page []byte, run contracts.RunSummary) ([]byte, error) {
	start := bytes.Index(page, []byte(runOpen))
	if start < 0 {
		return nil, fmt.Errorf("this is not a report.html of touchstone: it has no place for the run; render it again")
	}

	start += len(runOpen)
	end := bytes.Index(page[start:], []byte(closing))
	if end < 0 {
		return nil, fmt.Errorf("report.html is cut off; render it again")
	}

	data, err := contracts.Encode("run summary", run)
	if err != nil {
		return nil, err
	}

	var out bytes.Buffer
	out.Write(page[:start])
	json.HTMLEscape(&out, bytes.TrimSpace(data))
	out.Write(page[start+end:])
	return wording.PlainPage(out.Bytes()), nil
}
