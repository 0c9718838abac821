package main

import (
	"fmt"
	"net"
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
		Long: "Shows the reports of the last touchstone gate. The gate writes them to the directory that the\n" +
			"pipeline names, by default reports: report.html for people, report.json for programs, and others for CI.",
		Args: arguments.None,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newReportServeCommand(), newReportConvertCommand(),
		newReportCommentCommand())
	cmd.AddCommand(flags.on(pipelineFlags, newReportOpenCommand(flags))...)
	cmd.AddCommand(flags.on(sessionFlags, newReportHistoryCommand(flags))...)
	return cmd
}

func newReportOpenCommand(flags *globalFlags) *cobra.Command {
	return &cobra.Command{
		Use:   "open",
		Short: "Open the published report.html in a browser",
		Long: "Opens the page in the browser of this machine. Without one, it prints an address on this machine and\n" +
			"serves the page there until it is interrupted. With --json, it only prints the path of the page.",
		Args: arguments.None,
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

				if flags.json {
					return printJSON(cmd.OutOrStdout(), map[string]string{"page": page})
				}

				fmt.Fprintln(cmd.OutOrStdout(), page)
				if openInBrowser(cmd, page) == nil {
					return nil
				}

				return serveWithoutBrowser(cmd, filepath.Dir(page))
			}

			return fmt.Errorf("there is no report yet; run %s gate first", toolName)
		},
	}
}

func openInBrowser(cmd *cobra.Command, page string) error {
	words := []string{"xdg-open", page}
	switch runtime.GOOS {
	case "darwin":
		words[0] = "open"
	case "windows":
		words = []string{"rundll32", "url.dll,FileProtocolHandler", page}
	}
	return exec.CommandContext(cmd.Context(), words[0], words[1:]...).Run()
}

// serveWithoutBrowser serves the reports on a free port of this machine, for a browser elsewhere that reaches
// it, for example over a forwarded port.
func serveWithoutBrowser(cmd *cobra.Command, dir string) error {
	l, err := net.Listen("tcp", "127.0.0.1:8321")
	if err != nil {
		l, err = net.Listen("tcp", "127.0.0.1:0")
	}

	if err != nil {
		return fmt.Errorf("there is no browser here, and the report cannot be served: %w; open the file above yourself",
			err)
	}

	fmt.Fprintln(cmd.ErrOrStderr(), "there is no browser here, so the report is served until Ctrl-C at")
	fmt.Fprintln(cmd.OutOrStdout(), pageURL(l.Addr()))
	return serveReports(cmd.Context(), l, dir)
}
