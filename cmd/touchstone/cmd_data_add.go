package main

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/base/arguments"
	"github.com/touchstone-eval/touchstone/internal/base/safetext"
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

func newDataDiffCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "diff OLD NEW",
		Short: "List the entries that two versions of a dataset do not have in common",
		Long: `Compares two datasets of one kind by the ids of their entries: which were added, removed or
edited, and in which fields. White space and order make no difference. "data corpus diff" also
finds renamed tools and changes that look like rug pulls.`,
		Args: arguments.Exactly(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			d, err := versions.Diff(args[0], args[1])
			if err != nil {
				return datasetError(err)
			}

			if asJSON(cmd) {
				return printJSON(cmd.OutOrStdout(), d)
			}

			writeDifference(cmd.OutOrStdout(), d)
			return nil
		},
	}
}

func writeDifference(w io.Writer, d versions.Difference) {
	fmt.Fprintf(w, "%s: %d added, %d removed, %d edited, %d the same\n", d.Kind, len(d.Added), len(d.Removed),
		len(d.Edited), d.Same)
	if len(d.Header) > 0 {
		fmt.Fprintf(w, "  outside of the entries: %s\n", safetext.Visible(strings.Join(d.Header, ", ")))
	}

	for _, id := range d.Added {
		fmt.Fprintf(w, "  + %s\n", safetext.Visible(id))
	}

	for _, id := range d.Removed {
		fmt.Fprintf(w, "  - %s\n", safetext.Visible(id))
	}

	for _, e := range d.Edited {
		fmt.Fprintf(w, "  ~ %s: %s\n", safetext.Visible(e.ID), safetext.Visible(strings.Join(e.Fields, ", ")))
	}
}
