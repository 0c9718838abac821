//go:build !containers

package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/base/arguments"
	"github.com/touchstone-eval/touchstone/internal/data/convert"
	"github.com/touchstone-eval/touchstone/internal/data/validation"
)

func newDataExportCommand() *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:   "export FILE",
		Short: "Write a golden set as TREC qrels, or a report of score-retrieval as a TREC run",
		Long: `Of a golden set, writes the labels as a qrels file. Of the report of one run of
score-retrieval, writes the ranked lists as a run file, so that trec_eval -c prints the figures
of the report. It writes the scores of the proxy if they agree with the order of its answers.
Otherwise it writes scores that count down from the first rank.`,
		Example: `  touchstone data export datasets/golden_v2.json -o qrels.txt`,
		Args:    arguments.Exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			data, err := contracts.ReadBytes(args[0])
			if err != nil {
				return err
			}

			if validation.KindOf(data) == "golden" {
				golden, err := contracts.Decode[contracts.GoldenSet](args[0], data)
				if err != nil {
					return datasetError(err)
				}

				return writeTrec(cmd, out, args, func(w io.Writer) error { return convert.WriteQrels(w, golden) })
			}

			report, err := contracts.Decode[contracts.RetrievalReport](args[0], data)
			if err != nil {
				return fmt.Errorf("%s is no golden set, and no report of score-retrieval: %w", args[0], err)
			}

			return writeTrec(cmd, out, args, func(w io.Writer) error { return convert.WriteRun(w, report) })
		},
	}
	outputVar(cmd.Flags(), &out, "file", "the file to write (default: standard output)")
	return cmd
}
