package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/touchstone-eval/touchstone/internal/base/safetext"
	"github.com/touchstone-eval/touchstone/scanner"
)

// WriteMarkdown writes the result for a pull request or a job's summary.
func (r *Result) WriteMarkdown(w io.Writer) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "# Tool scan\n\n%s\n", r.summary())
	if len(r.Findings) > 0 {
		fmt.Fprint(out, "\n| severity | action | server | tool | confidence | checks |\n|---|---|---|---|---:|---|\n")
		for _, f := range r.Findings {
			fmt.Fprintf(out, "| %s | %s | %s | %s | %.2f | %s |\n", f.Severity, f.Action,
				safetext.MarkdownCode(safetext.Name(f.Server)), safetext.MarkdownCode(safetext.Name(f.Label())),
				f.Confidence, strings.Join(f.CheckIDs(), ", "))
		}

		fmt.Fprint(out, "\n## Evidence\n")
		for _, f := range r.Findings {
			fmt.Fprintf(out, "\n%s, %s, in %s\n\n",
				safetext.MarkdownCode(safetext.Name(f.Server)+":"+safetext.Name(f.Label())), f.ThreatLevel,
				safetext.MarkdownCode(placesText(f.Places)))
			for i := range f.Signals {
				markdownSignal(out, &f, &f.Signals[i])
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

			for _, line := range i.Lines {
				fmt.Fprintf(out, "  - %s\n", safetext.MarkdownCode(line))
			}

			for _, line := range i.Output {
				fmt.Fprintf(out, "  - it printed: %s\n", safetext.MarkdownCode(line))
			}
		}
	}

	return out.Flush()
}

// markdownSignal writes a signal as an item of a list. The telling words are bold.
func markdownSignal(w io.Writer, f *Finding, s *scanner.Signal) {
	fmt.Fprintf(w, "- %s (%s, %.2f): %s", s.CheckID, s.Tier, s.Confidence, safetext.MarkdownCode(s.Detail))
	if s.Evidence != "" {
		before, words, after := quoted(s)
		fmt.Fprint(w, " — ")
		if before != "" {
			fmt.Fprint(w, safetext.MarkdownCode(before))
		}

		if words != "" {
			fmt.Fprintf(w, " **%s** ", safetext.MarkdownCode(words))
		}

		if after != "" {
			fmt.Fprint(w, safetext.MarkdownCode(after))
		}

		if at := f.where(s); at != "" {
			fmt.Fprintf(w, " at %s", safetext.MarkdownCode(at))
		}
	}

	fmt.Fprintln(w)
	if why, do := advice(f, s); why != "" {
		fmt.Fprintf(w, "  - Why: %s\n  - What to do: %s\n", why, do)
	}
}
