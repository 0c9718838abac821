package main

import (
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"github.com/touchstone-eval/touchstone/internal/base/arguments"
)

func newManCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "man DIR",
		Short: "Write the manual pages of all verbs to a directory",
		Long: `Writes a manual page for each verb: touchstone.1, touchstone-gate.1 and so on. The pages
say what --help says. To install them, write them to a directory of the manual path, such
as /usr/local/share/man/man1. To read one without installing it, use man -l FILE.`,
		Args: arguments.Exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o755); err != nil {
				return err
			}

			// The same program writes the same pages, so that packages are reproducible.
			date := time.Unix(0, 0).UTC()
			root := cmd.Root()
			for _, verb := range root.Commands() {
				// The plumbing is left out of --help alone.
				if slices.Contains(plumbing, verb.Name()) {
					verb.Hidden = false
				}
			}

			root.DisableAutoGenTag = true
			header := &doc.GenManHeader{Section: "1", Source: toolName + " " + version, Manual: "Touchstone",
				Date: &date}
			if err := doc.GenManTree(root, header, args[0]); err != nil {
				return fmt.Errorf("writing manual pages to %s: %w", args[0], err)
			}

			return nil
		},
	}
}
