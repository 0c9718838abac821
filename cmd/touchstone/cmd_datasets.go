package main

import (
	"errors"
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/touchstone-eval/touchstone/stages/validatedatasets"
)

// newDatasetsCommand is "touchstone datasets": which versions there are and
// which of them are frozen.
func newDatasetsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "datasets",
		Short: "List the datasets, or freeze a version so that it cannot change unnoticed",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	lock := cmd.PersistentFlags().String("lock", "datasets/lock.json", "the file that holds the digests of frozen versions")
	cmd.AddCommand(newDatasetsFreezeCommand(lock), newDatasetsListCommand(lock), newDatasetsSynthesizeCommand(), newDatasetsImportCommand())
	return cmd
}

func newDatasetsFreezeCommand(lock *string) *cobra.Command {
	var kind string
	cmd := &cobra.Command{
		Use:   "freeze [--kind corpus|golden|security] FILE...",
		Short: "Validate datasets and put their digests into the lock file",
		Long: `Validates each file and writes its digest into the lock file, under its kind and
version. From then on validation refuses a file of that version with any other
content: to change frozen data, copy it to a new version. A version that is
frozen already is never frozen again with another digest.

A golden set is checked against its corpus, which is looked for among the files
and beside them.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch kind {
			case "", "corpus", "golden", "security":
			default:
				return fmt.Errorf("--kind %s is unknown; use corpus, golden or security", kind)
			}
			frozen, err := validatedatasets.Freeze(*lock, kind, args)
			if err != nil {
				return datasetError(err)
			}
			if asJSON(cmd) {
				return printJSON(cmd.OutOrStdout(), map[string]any{"frozen": frozen})
			}
			for _, f := range frozen {
				fmt.Fprintf(cmd.OutOrStdout(), "frozen: %s %s (sha256 %.12s)\n", f.Kind, f.Version, f.SHA256)
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&kind, "kind", "", "refuse files that are not of this kind")
	return cmd
}

func newDatasetsListCommand(lock *string) *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the datasets beside the lock file: kind, version, state, entries",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			all, err := validatedatasets.List(*lock)
			if err != nil {
				return datasetError(err)
			}
			if asJSON(cmd) {
				if all == nil {
					all = []validatedatasets.Listed{}
				}
				return printJSON(cmd.OutOrStdout(), map[string]any{"datasets": all})
			}
			w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
			fmt.Fprintln(w, "KIND\tVERSION\tSTATE\tENTRIES\tFILE")
			for _, d := range all {
				fmt.Fprintf(w, "%s\t%s\t%s\t%d\t%s\n", d.Kind, d.Version, d.State, d.Entries, d.File)
			}
			return w.Flush()
		},
	}
}

// asJSON tells whether the root's --json is set.
func asJSON(cmd *cobra.Command) bool {
	on, err := cmd.Flags().GetBool("json")
	return err == nil && on
}

// datasetError gives refused data its exit code.
func datasetError(err error) error {
	var invalid *validatedatasets.InvalidError
	if errors.As(err, &invalid) {
		return &exitError{exitBadDataset, err}
	}
	return err
}
