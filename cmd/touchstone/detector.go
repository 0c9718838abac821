package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/touchstone-eval/touchstone/stages/scoresecurity/detectors"
)

// newDetectorCommand is "touchstone detector NAME".
func newDetectorCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "detector NAME",
		Short: "Run one of the built-in detectors: JSON lines in, verdicts out",
		Long: `Reads one request a line on standard input and answers each with one verdict
line on standard output, until the input ends. The protocol is described in
docs/detectors.md. NAME is one of ` + strings.Join(detectors.Names(), ", ") + `.`,
		Args:      cobra.ExactArgs(1),
		ValidArgs: detectors.Names(),
		RunE: func(cmd *cobra.Command, args []string) error {
			return detectors.Serve(args[0], cmd.InOrStdin(), cmd.OutOrStdout())
		},
	}
}
