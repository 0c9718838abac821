package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/base/arguments"
	"github.com/touchstone-eval/touchstone/stages/render"
)

// reportPage is the page written by render and completed by publish.
const reportPage = "report.html"

func newReportCommand(flags *globalFlags) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "report",
		Short: "Open, serve or compare reports, or show them in CI",
		Args:  arguments.None,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newReportServeCommand(), newReportDiffCommand(flags), newReportConvertCommand(),
		newReportCommentCommand())
	cmd.AddCommand(flags.on(pipelineFlags, newReportOpenCommand(flags))...)
	cmd.AddCommand(flags.on(sessionFlags, newReportHistoryCommand(flags))...)
	return cmd
}

func newReportOpenCommand(flags *globalFlags) *cobra.Command {
	var printOnly bool
	cmd := &cobra.Command{
		Use:   "open",
		Short: "Open the published report.html in a browser",
		Args:  arguments.None,
		RunE: func(cmd *cobra.Command, _ []string) error {
			plan, err := loadPlan(flags, cmd.ErrOrStderr())
			if err != nil {
				return err
			}

			for _, p := range plan.Publish {
				page := filepath.Join(plan.Root, filepath.FromSlash(p.Path), reportPage)
				if _, err := os.Stat(page); err != nil {
					continue
				}

				fmt.Fprintln(cmd.OutOrStdout(), page)
				if printOnly {
					return nil
				}

				return openInBrowser(cmd, page)
			}

			return fmt.Errorf("there is no report yet; run %s gate first", toolName)
		},
	}
	cmd.Flags().BoolVar(&printOnly, "print", false, "only print the path of the report")
	return cmd
}

func openInBrowser(cmd *cobra.Command, page string) error {
	opener := "xdg-open"
	if runtime.GOOS == "darwin" {
		opener = "open"
	}
	if err := exec.CommandContext(cmd.Context(), opener, page).Run(); err != nil {
		return fmt.Errorf("opening it with %s: %w; open the file above yourself", opener, err)
	}
	return nil
}

func newReportDiffCommand(flags *globalFlags) *cobra.Command {
	var query string
	cmd := &cobra.Command{
		Use:   "diff A B",
		Short: "Compare two report.json files, or two directories that contain one",
		Long: `Compares figures, queries and entries of two reports. With --query it shows the ranked lists
of one query side by side, also if they are the same.`,
		Args: arguments.Exactly(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			var reports [2]contracts.Report
			for i, arg := range args {
				if st, err := os.Stat(arg); err == nil && st.IsDir() {
					dir := arg
					arg = filepath.Join(dir, "report.json")
					if n, err := contracts.Read[contracts.NoVerdict](filepath.Join(dir,
						render.NoVerdictFile)); err == nil {
						return fmt.Errorf("the run of %s ended without a verdict: %s Run it again", dir, n.Summary)
					}
				}

				r, err := contracts.Read[contracts.Report](arg)
				if err != nil {
					return err
				}

				reports[i] = r
			}

			if query != "" {
				q, err := render.SidesOf(reports[0], reports[1], query)
				switch {
				case err != nil:
					return err
				case flags.json:
					return printJSON(cmd.OutOrStdout(), q)
				}

				return q.Write(cmd.OutOrStdout())
			}

			d := render.Diff(reports[0], reports[1])
			if flags.json {
				return printJSON(cmd.OutOrStdout(), d)
			}

			for _, line := range d.Lines() {
				fmt.Fprintln(cmd.OutOrStdout(), line)
			}

			return nil
		},
	}
	cmd.Flags().StringVar(&query, "query", "", "show this query, by its id, side by side")
	return cmd
}
