package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/touchstone-eval/touchstone/internal/base/safetext"
	"github.com/touchstone-eval/touchstone/scanner"
)

// WriteTable writes the result as a table for a terminal.
func (r *Result) WriteTable(w io.Writer) error {
	out := bufio.NewWriter(w)
	if len(r.Findings) > 0 {
		tw := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
		fmt.Fprintln(tw, "SEVERITY\tACTION\tSERVER\tTOOL\tCONFIDENCE\tCHECKS")
		for _, f := range r.Findings {
			fmt.Fprintf(tw, "%s\t%s\t%s\t%s\t%.2f\t%s\n", f.Severity, f.Action,
				safetext.Name(f.Server), safetext.Name(f.Label()), f.Confidence, strings.Join(f.CheckIDs(), ", "))
		}

		tw.Flush()
		fmt.Fprintln(out)
		for _, f := range r.Findings {
			fmt.Fprintf(out, "%s: %s, %s\n", safetext.Name(f.Server)+":"+safetext.Name(f.Label()), f.ThreatLevel,
				safetext.Visible(placesText(f.Places)))
			for i := range f.Signals {
				writeSignal(out, &f, &f.Signals[i])
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

			for _, line := range i.Lines {
				fmt.Fprintf(out, "      %s\n", safetext.Visible(line))
			}

			if len(i.Output) > 0 {
				fmt.Fprintf(out, "      %s\n", outputTitle)
			}

			for _, line := range i.Output {
				fmt.Fprintf(out, "        %s\n", safetext.Visible(line))
			}
		}

		fmt.Fprintln(out)
	}

	fmt.Fprintln(out, r.summary())
	return out.Flush()
}

// writeSignal writes what was found, where, in which words, why it matters and what
// to do.
func writeSignal(w io.Writer, f *Finding, s *scanner.Signal) {
	fmt.Fprintf(w, "  %s (%s, %.2f): %s\n", s.CheckID, s.Tier, s.Confidence, safetext.Visible(s.Detail))
	if s.Evidence != "" {
		place := ""
		if at := f.where(s); at != "" {
			place = at + ": "
		}
		fmt.Fprintf(w, "      %s%s\n", safetext.Visible(place), safetext.Visible(marked(s)))
	}
	if why, do := advice(f, s); why != "" {
		fmt.Fprintf(w, "      Why: %s\n      Do:  %s\n", why, do)
	}
}

// maxPointer bounds the length of a pointer for people: a server chooses the keys.
const maxPointer = 200
