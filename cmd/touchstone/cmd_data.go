package main

import (
	"github.com/spf13/cobra"

	"github.com/touchstone-eval/touchstone/internal/base/arguments"
)

// newDataCommand returns "touchstone data": versions of datasets, their imports, judging and checks,
// corpora, golden sets and runs of trec_eval.
func newDataCommand(flags *globalFlags) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "data",
		Short: "Manage datasets: versions, imports, judging, checks, corpora and golden sets",
		Args:  arguments.None,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newDataVerbs(flags)...)
	cmd.AddCommand(flags.on(sessionFlags, newRefreshCommand(flags), newDataFetchCommand(flags))...)
	return cmd
}
