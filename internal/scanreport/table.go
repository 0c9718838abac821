package scanreport

import (
	"bufio"
	"fmt"
	"github.com/touchstone-eval/touchstone/internal/safetext"
	"io"
	"strings"
	"text/tabwriter"
)

// WriteTable writes the result as a table for a terminal.
func (r *Result) WriteTable(w io.Writer) error {
	out := bufio.NewWriter(w)
	if len(r.Findings) > 0 {
		tw := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
		fmt.Fprintln(tw, "SEVERITY\tACTION\tSERVER\tTOOL\tCONFIDENCE\tCHECKS")
		for _, f := range r.Findings {
			fmt.Fprintf(tw, "%s\t%s\t%s\t%s\t%.2f\t%s\n", f.Severity, f.Action,
				safetext.Name(f.Server), safetext.Name(f.Tool), f.Confidence, strings.Join(f.CheckIDs(), ", "))
		}
		tw.Flush()
		fmt.Fprintln(out)
		for _, f := range r.Findings {
			fmt.Fprintf(out, "%s: %s, %s\n", safetext.Name(f.Server)+":"+safetext.Name(f.Tool), f.ThreatLevel, safetext.Visible(placesText(f.Places)))
			for _, s := range f.Signals {
				fmt.Fprintf(out, "  %s (%s, %.2f): %s\n", s.CheckID, s.Tier, s.Confidence, safetext.Visible(s.Detail))
				if s.Evidence != "" {
					fmt.Fprintf(out, "      %s\n", safetext.Visible(s.Evidence))
				}
			}
		}
		fmt.Fprintln(out)
	}
	for _, s := range r.sections() {
		fmt.Fprintf(out, "%s:\n", s.Title)
		for _, i := range s.Items {
			if i.Subject == "" {
				fmt.Fprintf(out, "  %s\n", safetext.Visible(i.Text))
			} else {
				fmt.Fprintf(out, "  %s: %s\n", safetext.Visible(i.Subject), safetext.Visible(i.Text))
			}
		}
		fmt.Fprintln(out)
	}
	fmt.Fprintln(out, r.summary())
	return out.Flush()
}
