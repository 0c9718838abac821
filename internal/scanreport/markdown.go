package scanreport

import (
	"bufio"
	"fmt"
	"github.com/touchstone-eval/touchstone/internal/safetext"
	"io"
	"strings"
)

// WriteMarkdown writes the result for a pull request or a job's summary.
func (r *Result) WriteMarkdown(w io.Writer) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "# Tool scan\n\n%s\n", r.summary())
	if len(r.Findings) > 0 {
		fmt.Fprint(out, "\n| severity | action | server | tool | confidence | checks |\n|---|---|---|---|---:|---|\n")
		for _, f := range r.Findings {
			fmt.Fprintf(out, "| %s | %s | %s | %s | %.2f | %s |\n", f.Severity, f.Action,
				safetext.MarkdownCode(safetext.Name(f.Server)), safetext.MarkdownCode(safetext.Name(f.Tool)), f.Confidence, strings.Join(f.CheckIDs(), ", "))
		}
		fmt.Fprint(out, "\n## Evidence\n")
		for _, f := range r.Findings {
			fmt.Fprintf(out, "\n%s, %s, in %s\n\n", safetext.MarkdownCode(safetext.Name(f.Server)+":"+safetext.Name(f.Tool)), f.ThreatLevel, safetext.MarkdownCode(placesText(f.Places)))
			for _, s := range f.Signals {
				fmt.Fprintf(out, "- %s (%s, %.2f): %s", s.CheckID, s.Tier, s.Confidence, safetext.MarkdownCode(s.Detail))
				if s.Evidence != "" {
					fmt.Fprintf(out, " — %s", safetext.MarkdownCode(s.Evidence))
				}
				fmt.Fprintln(out)
			}
		}
	}
	for _, s := range r.sections() {
		fmt.Fprintf(out, "\n## %s\n\n", s.Title)
		for _, i := range s.Items {
			if i.Subject == "" {
				fmt.Fprintf(out, "- %s\n", safetext.MarkdownCode(i.Text))
			} else {
				fmt.Fprintf(out, "- %s: %s\n", safetext.MarkdownCode(i.Subject), safetext.MarkdownCode(i.Text))
			}
		}
	}
	return out.Flush()
}
