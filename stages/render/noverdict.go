package render

import (
	"bytes"
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/base/junit"
	"github.com/touchstone-eval/touchstone/internal/report/wording"
)

// NoVerdictFile is the file from which programs read why there is no verdict.
const NoVerdictFile = "no-verdict.json"

// NoVerdict returns the reports of a run that ended without a verdict, by name.
// They have the names of the other reports, so that no reader finds the reports
// of an earlier run. report.json is not among them, because there are no
// figures; NoVerdictFile is.
func NoVerdict(n contracts.NoVerdict) (map[string][]byte, error) {
	n = bounded(n)
	files := make(map[string][]byte)
	data, err := contracts.Encode(NoVerdictFile, n)
	if err != nil {
		return nil, err
	}

	files[NoVerdictFile] = data
	for _, f := range formats {
		if f.noVerdict == nil {
			continue
		}

		if files[f.file], err = f.noVerdict(n); err != nil {
			return nil, err
		}
	}

	return files, nil
}

// Bounds of a reason's message and remedy, and of a line of a log, in characters.
const (
	maxMessage = 4000
	maxLogLine = 1000
)

// bounded shortens texts, which may be of any length, and replaces their control
// characters.
func bounded(n contracts.NoVerdict) contracts.NoVerdict {
	n.Summary, n.Command = wording.Plain(wording.Shorten(n.Summary, maxMessage)), wording.Plain(n.Command)
	n.Problems = slices.Clone(n.Problems)
	for i := range n.Problems {
		r := &n.Problems[i]
		r.Entry, r.Message, r.Remedy = wording.Plain(wording.Shorten(r.Entry, maxLogLine)),
			wording.Plain(wording.Shorten(r.Message, maxMessage)), wording.Plain(wording.Shorten(r.Remedy, maxMessage))
	}

	n.Logs = slices.Clone(n.Logs)
	for i := range n.Logs {
		lines := make([]string, len(n.Logs[i].Lines))
		for k, line := range n.Logs[i].Lines {
			lines[k] = wording.Plain(wording.Shorten(line, maxLogLine))
		}

		n.Logs[i].Lines = lines
	}

	return n
}

// where formats the place of a reason: "datasets/golden_v1.json:17:6".
func where(r contracts.Reason) string {
	text := r.File
	if text != "" && r.Line > 0 {
		text += fmt.Sprintf(":%d", r.Line)
		if r.Column > 0 {
			text += fmt.Sprintf(":%d", r.Column)
		}
	}
	return text
}

// what formats a reason without its place.
func what(r contracts.Reason) string {
	text := r.Message
	if r.Entry != "" {
		text = "entry " + r.Entry + ": " + text
	}
	if r.Remedy != "" {
		text += "; " + r.Remedy
	}
	return text
}

// stagesLine counts the stages: "1 stage failed, 3 have results, 21 were not started."
func stagesLine(n *contracts.NoVerdict) string {
	if len(n.Failed)+n.Done+n.Skipped == 0 {
		return ""
	}
	return fmt.Sprintf("%s, %s, %s.", wording.CountOf(len(n.Failed), "1 stage failed", "%d stages failed"),
		wording.CountOf(n.Done, "1 has a result", "%d have results"),
		wording.CountOf(n.Skipped, "1 was not started", "%d were not started"))
}

//go:embed page/noverdict.html
var noVerdictHTML string

//go:embed page/noverdict.css
var noVerdictCSS string

var noVerdictTemplate = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("noverdict").Funcs(template.FuncMap{"where": where}).Parse(noVerdictHTML))
})

// maxReasons is the number of reasons that the page shows.
const maxReasons = 500

// noVerdictPage is the data of the template.
type noVerdictPage struct {
	contracts.NoVerdict
	Stages string
	Shown  []contracts.Reason
	More   int
}

// noVerdictHTMLPage writes report.html: one page that loads nothing and has no
// scripts.
func noVerdictHTMLPage(n contracts.NoVerdict) ([]byte, error) {
	p := noVerdictPage{NoVerdict: n, Stages: stagesLine(&n), Shown: n.Problems[:min(len(n.Problems), maxReasons)]}
	p.More = len(n.Problems) - len(p.Shown)
	var b bytes.Buffer
	b.WriteString(wording.PageHead("Touchstone: no verdict", wording.Style+noVerdictCSS, ""))
	if err := noVerdictTemplate().Execute(&b, p); err != nil {
		return nil, fmt.Errorf("cannot render report.html: %w", err)
	}
	return wording.PlainPage(b.Bytes()), nil
}

func noVerdictMarkdown(n contracts.NoVerdict) ([]byte, error) {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s\n## ⚠️ Touchstone: no verdict\n\n**%s** %s\n\n", CommentMarker,
		wording.Markdown(wording.Shorten(n.Summary, maxRemark)), stagesLine(&n))
	foot := ""
	if n.Command != "" {
		foot = "Run it again: <code>" + wording.Markdown(wording.Shorten(n.Command, maxRemark)) + "</code>\n"
	}

	rows := []string{"| where | what |\n|---|---|\n"}
	for _, r := range n.Problems {
		rows = append(rows, fmt.Sprintf("| %s | %s |\n",
			wording.Markdown(wording.Shorten(cmp.Or(where(r), r.Stage), 200)),
			wording.Markdown(wording.Shorten(what(r), 600))))
	}

	sections := [][]string{append(rows, "\n")}
	for _, l := range n.Logs {
		rows := []string{fmt.Sprintf("<details><summary>Log of %s</summary>\n\n",
			wording.Markdown(wording.Shorten(l.Stage, 200)))}
		for _, line := range l.Lines {
			rows = append(rows, wording.Markdown(wording.Shorten(line, 600))+"<br>\n")
		}

		sections = append(sections, append(rows, "</details>\n\n"))
	}

	room := wording.MaxComment - 1 - len(foot)
	for _, s := range sections {
		room = wording.AppendSection(&b, s, room)
	}

	b.WriteString(foot)
	return b.Bytes(), nil
}

// noVerdictJUnit writes one test case with an error for each reason. A reader
// of an unfinished or failed run therefore never counts it as passed.
func noVerdictJUnit(n contracts.NoVerdict) ([]byte, error) {
	suite := junit.Suite{Name: "no verdict"}
	for _, r := range n.Problems {
		suite.Add(junit.Case{Class: cmp.Or(r.File, r.Stage, "touchstone"), Name: cmp.Or(where(r), r.Stage, "run"),
			Error: &junit.Outcome{Message: r.Message, Text: what(r)}})
	}
	suite.Cases = append([]junit.Case{{Class: "touchstone", Name: "verdict",
		Error: &junit.Outcome{Message: n.Summary, Text: stagesLine(&n)}}}, suite.Cases...)
	suite.Tests++
	suite.Errors++
	return encodeJUnit(suite)
}

// noVerdictAnnotations writes an error for the missing verdict and one for each
// reason, at its line if it has one.
func noVerdictAnnotations(n contracts.NoVerdict) ([]byte, error) {
	var list []annotation
	if len(n.Problems) != 1 || n.Problems[0].File != "" {
		list = append(list, annotation{title: "Touchstone: no verdict",
			message: strings.TrimSpace(n.Summary + " " + stagesLine(&n))})
	}

	for _, r := range n.Problems {
		a := annotation{title: "Touchstone: " + cmp.Or(r.Entry, r.Stage, "no verdict"), message: what(r), line: r.Line,
			column: r.Column}
		if r.File != "" {
			a.file = path.Join(n.Directory, r.File)
		}

		list = append(list, a)
	}

	var b bytes.Buffer
	writeAnnotations(&b, "error", list)
	return b.Bytes(), nil
}
