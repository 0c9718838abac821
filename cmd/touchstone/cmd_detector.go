package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/touchstone-eval/touchstone/stages/scoresecurity/adapted"
	"github.com/touchstone-eval/touchstone/stages/scoresecurity/detectors"
)

// newDetectorCommand is "touchstone detector NAME".
func newDetectorCommand() *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:   "detector NAME",
		Short: "Run a detector, built in or of a proxy's adapter: JSON lines in, verdicts out",
		Long: `Reads one request a line on standard input and answers each with one verdict
line on standard output, until the input ends. The protocol is described in
docs/detectors.md. NAME is one of ` + strings.Join(detectors.Names(), ", ") + `,
or with --adapted DIR one that the adapter of a proxy describes: DIR is what
build-proxy --detectors wrote.`,
		Args:      cobra.ExactArgs(1),
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
	cmd.Flags().StringVar(&dir, "adapted", "", "a directory of detectors that an adapter describes")
	return cmd
}
