package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/touchstone-eval/touchstone/internal/base/arguments"
	"github.com/touchstone-eval/touchstone/stages/scoresecurity/adapted"
	"github.com/touchstone-eval/touchstone/stages/scoresecurity/detectors"
)

// newDetectorCommand returns "touchstone detector NAME".
func newDetectorCommand() *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:   "detector NAME",
		Short: "Run a detector as a process that reads requests and writes verdicts as JSON lines",
		Long: `Reads one request per line from standard input and answers each with one verdict line
on standard output, until the input ends. docs/reference/detectors.md describes the protocol. NAME
is one of ` + strings.Join(detectors.Names(), ", ") + `.
With --adapted DIR, it is a detector of a proxy's adapter: DIR is the directory written
by build-proxy --detectors.`,
		Args:      arguments.Exactly(1),
		ValidArgs: detectors.Names(),
		RunE: func(cmd *cobra.Command, args []string) error {
			if dir == "" {
				return detectors.Serve(args[0], cmd.InOrStdin(), cmd.OutOrStdout())
			}

			d, err := adapted.Open(dir, args[0])
			if err != nil {
				return err
			}

			return detectors.ServeFunc(d.Judge, cmd.InOrStdin(), cmd.OutOrStdout())
		},
	}
	cmd.Flags().StringVar(&dir, "adapted", "", "a directory with the detectors of an adapter")
	return cmd
}
