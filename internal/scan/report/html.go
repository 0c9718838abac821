package report

import (
	"bufio"
	_ "embed"
	"fmt"
	"html"
	"io"
	"strings"

	"github.com/touchstone-eval/touchstone/internal/base/safetext"
	"github.com/touchstone-eval/touchstone/scanner"
)

// page is the page around the report. Package html/template would fill it in, and
// would make the program a fifth larger: it calls methods by name, so that the linker
// keeps every method.
//
//go:embed page/report.html
var page string

// WriteHTML writes the result as one page without scripts or external resources.
func (r *Result) WriteHTML(w io.Writer) error {
	head, tail, _ := strings.Cut(page, "</main>")
	out := bufio.NewWriter(w)
	fmt.Fprint(out, head)
	r.htmlBody(out)
	fmt.Fprint(out, "</main>"+tail)
	return out.Flush()
}

// text escapes text for HTML, outside of tags and within quoted attributes. It also
// shows characters that a browser would act on without drawing them.
func text(s string) string { return html.EscapeString(safetext.Visible(s)) }

func (r *Result) htmlBody(w io.Writer) {
	class := "summary"
	if !r.Complete() {
		class += " incomplete"
	}

	fmt.Fprintf(w, "<h1>Tool scan</h1>\n<p class=\"%s\">%s</p>\n", class, text(r.summary()))
	if len(r.Findings) > 0 {
		fmt.Fprint(w, "<h2>Findings</h2>\n<div class=\"wide\" role=\"region\" aria-label=\"Findings\" "+
			"tabindex=\"0\"><table>\n"+
			"<thead><tr><th scope=\"col\">Severity</th><th scope=\"col\">Action</th><th scope=\"col\">Tool</th><th "+
			"scope=\"col\">Signals</th></tr></thead>\n<tbody>\n")
		for i := range r.Findings {
			r.Findings[i].html(w)
		}

		fmt.Fprint(w, "</tbody>\n</table></div>\n")
	}

	for _, s := range r.sections() {
		fmt.Fprintf(w, "<h2>%s</h2>\n<ul>\n", text(s.Title))
		for _, i := range s.Items {
			subject := ""
			if i.Subject != "" {
				subject = "<code>" + text(i.Subject) + "</code>: "
			}

			fmt.Fprintf(w, "<li>%s%s", subject, text(i.Text))
			for _, line := range i.Lines {
				fmt.Fprintf(w, "<br>%s", text(line))
			}

			for k, line := range i.Output {
				if k == 0 {
					fmt.Fprintf(w, "<br><span class=\"quiet\">%s</span>", outputTitle)
				}

				fmt.Fprintf(w, "<br><code>%s</code>", text(line))
			}

			fmt.Fprint(w, "</li>\n")
		}

		fmt.Fprint(w, "</ul>\n")
	}

	fmt.Fprint(w, "<h2>Checks</h2>\n<ul>\n")
	for _, c := range r.Checks {
		fmt.Fprintf(w, "<li>%s <span class=\"quiet\">(%s at most)</span>: %s</li>\n", text(c.ID), c.Tier,
			text(c.Description))
	}

	fmt.Fprint(w, "</ul>\n")
}

// html writes a finding as a row of the table.
func (f *Finding) html(w io.Writer) {
	fmt.Fprintf(w, "<tr>\n<td class=\"severity %s\">%s</td>\n<td>%s</td>\n", text(string(f.Severity)),
		text(string(f.Severity)), text(string(f.Action)))
	fmt.Fprintf(w, "<td><code>%s</code><br><code>%s</code><br><span class=\"quiet\">%s</span></td>\n<td>\n<ul>\n",
		text(safetext.Name(f.Server)), text(safetext.Name(f.Label())), text(placesText(f.Places)))
	for i := range f.Signals {
		htmlSignal(w, f, &f.Signals[i])
	}
	fmt.Fprint(w, "</ul>\n</td>\n</tr>\n")
}

// htmlSignal writes a signal as an item of a list. The telling words are marked.
func htmlSignal(w io.Writer, f *Finding, s *scanner.Signal) {
	fmt.Fprintf(w, "<li>%s <span class=\"quiet\">(%s, %.2f)</span>: %s", text(s.CheckID), s.Tier, s.Confidence,
		text(s.Detail))
	if s.Evidence != "" {
		before, words, after := quoted(s)
		if words != "" {
			words = "<mark>" + text(words) + "</mark>"
		}

		fmt.Fprintf(w, "<br><code>%s%s%s</code>", text(before), words, text(after))
		if at := f.where(s); at != "" {
			fmt.Fprintf(w, " <span class=\"quiet\">at %s</span>", text(at))
		}
	}

	if why, do := advice(f, s); why != "" {
		fmt.Fprintf(w, "<br>%s <strong>What to do:</strong> %s", text(why), text(do))
	}

	fmt.Fprint(w, "</li>\n")
}
