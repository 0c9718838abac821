//go:build !containers

package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/base/arguments"
	"github.com/touchstone-eval/touchstone/internal/base/safetext"
	"github.com/touchstone-eval/touchstone/internal/data/versions"
	"github.com/touchstone-eval/touchstone/stages/refreshcorpus"
)

// corpusDiffJSON is the output of data diff --json for two corpora.
type corpusDiffJSON struct {
	Kind   string   `json:"kind"`
	Header []string `json:"header"`
	refreshcorpus.Diff
	RugPulls []refreshcorpus.RugPull `json:"rug_pulls"`
}

func newDataDiffCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "diff OLD NEW",
		Short: "List the entries that two versions of a dataset do not have in common",
		Long: `Compares two datasets of one kind by the ids of their entries: which were added, removed or
edited, and in which fields. White space and order make no difference.

Of two corpora it also lists renamed tools, what changed in each tool, and changes that look
like rug pulls. A removed tool and an added tool count as renamed if their descriptions,
parameters and names are similar.`,
		Args: arguments.Exactly(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			d, err := versions.Diff(args[0], args[1])
			if err != nil {
				return datasetError(err)
			}

			if d.Kind == "corpus" {
				return diffCorpora(cmd, args[0], args[1], d.Header)
			}

			if asJSON(cmd) {
				return printJSON(cmd.OutOrStdout(), d)
			}

			writeDifference(cmd.OutOrStdout(), d)
			return nil
		},
	}
}

// diffCorpora compares two corpora tool by tool. header names what differs outside of the tools.
func diffCorpora(cmd *cobra.Command, oldFile, newFile string, header []string) error {
	before, err := contracts.Read[contracts.Corpus](oldFile)
	if err != nil {
		return err
	}

	after, err := contracts.Read[contracts.Corpus](newFile)
	if err != nil {
		return err
	}

	pulls, err := refreshcorpus.RugPulls(before, after)
	if err != nil {
		return err
	}

	d := refreshcorpus.Compare(before, after)
	// Two corpora have two versions, and the first line of the output names both.
	header = slices.DeleteFunc(slices.Clone(header), func(field string) bool { return field == "version" })
	if asJSON(cmd) {
		return printJSON(cmd.OutOrStdout(), corpusDiffJSON{"corpus", header, d, pulls})
	}

	w := cmd.OutOrStdout()
	d.Write(w)
	writeHeaderChanges(w, header)
	refreshcorpus.WriteRugPulls(w, pulls)
	return nil
}

func writeHeaderChanges(w io.Writer, fields []string) {
	if len(fields) > 0 {
		fmt.Fprintf(w, "  outside of the entries: %s\n", safetext.Visible(strings.Join(fields, ", ")))
	}
}

func writeDifference(w io.Writer, d versions.Difference) {
	fmt.Fprintf(w, "%s: %d added, %d removed, %d edited, %d the same\n", d.Kind, len(d.Added), len(d.Removed),
		len(d.Edited), d.Same)
	writeHeaderChanges(w, d.Header)
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
