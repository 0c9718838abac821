package scan

import (
	"bufio"
	"fmt"
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
				markdownCode(shownName(f.Server)), markdownCode(shownName(f.Tool)), f.Confidence, strings.Join(f.CheckIDs(), ", "))
		}
		fmt.Fprint(out, "\n## Evidence\n")
		for _, f := range r.Findings {
			fmt.Fprintf(out, "\n%s, %s, in %s\n\n", markdownCode(shownName(f.Server)+":"+shownName(f.Tool)), f.ThreatLevel, markdownCode(placesText(f.Places)))
			for _, s := range f.Signals {
				fmt.Fprintf(out, "- %s (%s, %.2f): %s", s.CheckID, s.Tier, s.Confidence, markdownCode(s.Detail))
				if s.Evidence != "" {
					fmt.Fprintf(out, " — %s", markdownCode(s.Evidence))
				}
				fmt.Fprintln(out)
			}
		}
	}
	for _, s := range r.sections() {
		fmt.Fprintf(out, "\n## %s\n\n", s.Title)
		for _, i := range s.Items {
			if i.Subject == "" {
				fmt.Fprintf(out, "- %s\n", markdownCode(i.Text))
			} else {
				fmt.Fprintf(out, "- %s: %s\n", markdownCode(i.Subject), markdownCode(i.Text))
			}
		}
	}
	return out.Flush()
}
