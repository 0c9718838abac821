package command

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	pages "github.com/touchstone-eval/touchstone/docs/scanner"
	"github.com/touchstone-eval/touchstone/internal/base/safetext"
	"github.com/touchstone-eval/touchstone/internal/scan/report"
	"github.com/touchstone-eval/touchstone/scanner"
)

// newExplain returns the verb that prints the page of a check or a tripwire.
func newExplain(name string, asJSON *bool) *cobra.Command {
	return &cobra.Command{
		Use:   "explain [ID]",
		Short: "Explain a check or a tripwire of the scanner",
		Long: `Explain what a check or a tripwire finds, why that is dangerous, and what to do about it, with
examples of what it reports and what it does not. Without ID, list all ids.`,
		Example: examples(name, "scan explain override.reveal-prompt\nscan explain unicode.hidden"),
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return fmt.Errorf("explain takes one id, and %d are given; see %s --help", len(args), cmd.CommandPath())
			}

			return nil
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return ids(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return list(cmd.OutOrStdout(), *asJSON)
			}

			e, ok := explanation(args[0])
			if !ok {
				return report.Unknown("check or tripwire", args[0], ids())
			}

			if *asJSON {
				return writeJSON(cmd.OutOrStdout(), e)
			}

			return explain(cmd.OutOrStdout(), e)
		},
	}
}

// explanation explains a check or a tripwire. The examples of a check are those of its page.
func explanation(id string) (scanner.Explanation, bool) {
	e, ok := scanner.Explain(id)
	if fires, near := pages.Examples(id); len(fires) > 0 {
		e.Fires, e.Near = fires, near
	}
	return e, ok
}

// ids lists all checks and tripwires.
func ids() []string { return slices.Concat(report.CheckIDs(), scanner.Tripwires()) }

func list(w io.Writer, asJSON bool) error {
	var all []scanner.Explanation
	for _, id := range ids() {
		e, _ := explanation(id)
		all = append(all, e)
	}

	if asJSON {
		return writeJSON(w, all)
	}

	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, "ID\tSEVERITY\tFINDS")
	for _, e := range all {
		severity := "by the finding"
		if e.Severity != "" {
			severity = string(e.Severity)
		}

		fmt.Fprintf(tw, "%s\t%s\t%s\n", e.ID, severity, e.What)
	}

	return tw.Flush()
}

func writeJSON(w io.Writer, v any) error {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	_, err = w.Write(append(safetext.JSON(text), '\n'))
	return err
}

// explain prints the manual's page of a check, or what is known about a tripwire.
func explain(w io.Writer, e scanner.Explanation) error {
	if page, ok := pages.Check(e.ID); ok {
		_, err := fmt.Fprintf(w, "%s\n## What to do\n\n%s\n", page, e.Do)
		return err
	}

	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\nA tripwire of the check tripwire.known. Severity: %s.\n", e.ID, e.Severity)
	fmt.Fprintf(&b, "\n## What it looks for\n\n%s%s.\n", strings.ToUpper(e.What[:1]), e.What[1:])
	fmt.Fprintf(&b, "\n## Why\n\n%s\n\n## What to do\n\n%s\n", e.Why, e.Do)
	for _, part := range []struct {
		title string
		texts []string
	}{{"Reported", e.Fires}, {"Not reported by a tripwire", e.Near}} {
		fmt.Fprintf(&b, "\n## %s\n\n", part.title)
		for _, text := range part.texts {
			fmt.Fprintf(&b, "- %s\n", safetext.Visible(text))
		}
	}

	_, err := io.WriteString(w, b.String())
	return err
}
