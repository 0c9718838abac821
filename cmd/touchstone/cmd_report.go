package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/touchstone-eval/touchstone/internal/base/arguments"
)

// reportPage is the page written by render and completed by publish.
const reportPage = "report.html"

func newReportCommand(flags *globalFlags) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "report",
		Short: "Open or serve reports, or show them in CI",
		Args:  arguments.None,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newReportServeCommand(), newReportConvertCommand(),
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
