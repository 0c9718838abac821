//go:build !containers

package main

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/base/arguments"
	"github.com/touchstone-eval/touchstone/internal/data/versions"
	"github.com/touchstone-eval/touchstone/internal/scan/input"
)

func newDataAddCommand(lock *string) *cobra.Command {
	return &cobra.Command{
		Use:   "add FILE ENTRIES",
		Short: "Append entries to the next version of a dataset",
		Long: `Appends tools, queries, security entries or cases to FILE if it is a draft. If its version is
frozen, FILE stays as it is, and the entries join its next version, in a new file next to it.
All other entries keep their ids and their order.

ENTRIES is a file with a list of entries, with one entry a line, or a dataset of the same
kind. An id that the dataset has already is refused. The result is validated; if it is not
valid, nothing is written.`,
		Example: `  touchstone data add datasets/golden_v2.json more-queries.jsonl
  touchstone data diff datasets/golden_v2.json datasets/golden_v3.json`,
		Args: arguments.Exactly(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			entries, err := contracts.ReadBytes(args[1])
			if err != nil {
				return err
			}

			added, err := versions.Add(*lock, args[0], args[1], entries)
			if err != nil {
				return datasetError(err)
			}

			if asJSON(cmd) {
				return printJSON(cmd.OutOrStdout(), added)
			}

			stdout := cmd.OutOrStdout()
			fmt.Fprintf(stdout, "wrote %s, %s %s, a draft with %d more entries\n", added.File, added.Kind,
				added.Version, len(added.IDs))
			fmt.Fprintf(stdout, "next step: %s data freeze %s\n", toolName,
				input.QuoteWord(filepath.ToSlash(added.File)))
			return nil
		},
	}
}
