//go:build !containers

package main

import (
	"errors"
	"fmt"
	"io/fs"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/touchstone-eval/touchstone/internal/base/arguments"
	"github.com/touchstone-eval/touchstone/internal/data/validation"
	"github.com/touchstone-eval/touchstone/internal/data/versions"
)

// newDataVerbs returns the verbs of "touchstone data" that work on files alone.
func newDataVerbs(flags *globalFlags) []*cobra.Command {
	return []*cobra.Command{
		withLock(flags, newDataFreezeCommand), withLock(flags, newDataListCommand),
		withLock(flags, func(lock *string) *cobra.Command {
			next := newDataNextCommand(flags, lock)
			flags.on(cacheFlag, next)
			return next
		}),
		withLock(flags, newDataAddCommand), newDataDiffCommand(), newDataSynthesizeCommand(),
		newDataImportCommand(), newDataExternalCommand(flags), newDataPoolCommand(), newDataAgreeCommand(),
		newDataPowerCommand(), withLock(flags, newDataCheckCommand), withLock(flags, newDataStatsCommand),
		newMigrateCommand(flags), newLabelCommand(), newTrecCommand(flags),
		newDataExportCommand(),
	}
}

// withLock adds --lock to a verb and passes its value on. Without the flag, the file is next to the
// pipeline.
func withLock(flags *globalFlags, verb func(lock *string) *cobra.Command) *cobra.Command {
	var lock string
	cmd := verb(&lock)
	cmd.Flags().StringVar(&lock, "lock", "datasets/lock.json",
		"the file with the digests of frozen versions (by default in the pipeline's directory)")
	flags.on(fileFlag, cmd)
	cmd.PreRun = func(cmd *cobra.Command, _ []string) {
		if !cmd.Flags().Changed("lock") {
			lock = flags.beside(lock)
		}
	}
	return cmd
}

func newDataFreezeCommand(lock *string) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "freeze FILE...",
		Short: "Validate datasets and add their digests to the lock file",
		Long: `Validates each file and writes its digest to the lock file, under its kind and
version. From then on, validation refuses a file of that version with different
content, or reports it. To change frozen data, make the next version. The digest of a frozen
version cannot be changed.

A golden set and a set of cases are checked against their corpus, which must be one of
the files or in the same directory.`,
		Args: arguments.AtLeast(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			frozen, err := versions.Freeze(*lock, args)
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
	return cmd
}

func newDataListCommand(lock *string) *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the datasets next to the lock file: kind, version, state, entries",
		Args:  arguments.None,
		RunE: func(cmd *cobra.Command, _ []string) error {
			all, err := versions.List(*lock)
			if err != nil {
				return datasetError(err)
			}

			if asJSON(cmd) {
				if all == nil {
					all = []versions.Listed{}
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

// asJSON reports whether the flag --json is set.
func asJSON(cmd *cobra.Command) bool {
	on, err := cmd.Flags().GetBool("json")
	return err == nil && on
}

// datasetError adds the exit code for invalid data to an error.
func datasetError(err error) error {
	var invalid *validation.InvalidError
	if errors.As(err, &invalid) {
		return &exitError{exitBadDataset, err}
	}
	return err
}

// ofFlag adds the flag that names a file to the error if the file cannot be read. Errors about
// what is in the file begin with its name, which must stay first.
func ofFlag(name string, err error) error {
	if errors.As(err, new(*fs.PathError)) {
		return fmt.Errorf("--%s: %w", name, err)
	}
	return err
}
