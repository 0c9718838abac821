//go:build !containers

package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/touchstone-eval/touchstone/cache"
	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/base/arguments"
	"github.com/touchstone-eval/touchstone/internal/data/versions"
	"github.com/touchstone-eval/touchstone/internal/scan/input"
)

func newDataNextCommand(flags *globalFlags, lock *string) *cobra.Command {
	return &cobra.Command{
		Use:   "next FILE",
		Short: "Make an edited or copied dataset the next version, and restore a frozen one",
		Long: `Writes the content of FILE as its next version to a new file in the same directory, such as
golden_v2.json for golden_v1.json. The new version is a draft, which can be edited until it is
frozen.

If the version of FILE is frozen and FILE was edited, the frozen content is restored from the
cache or from the last commit of its git repository. If it is in neither, nothing is written.`,
		Args: arguments.Exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			next, err := versions.Next(*lock, args[0], func(digest string) []byte {
				return frozenContent(cmd, flags, args[0], digest)
			})
			if err != nil {
				return datasetError(err)
			}

			if asJSON(cmd) {
				return printJSON(cmd.OutOrStdout(), next)
			}

			stdout := cmd.OutOrStdout()
			fmt.Fprintf(stdout, "wrote %s, %s %s, a draft\n", next.File, next.Kind, next.Version)
			if next.Restored {
				fmt.Fprintf(stdout, "restored the frozen content of %s\n", next.From)
			}

			file := input.QuoteWord(filepath.ToSlash(next.File))
			if next.Kind == contracts.KindCorpus {
				fmt.Fprintf(stdout, "next step: %s data migrate GOLDEN %s carries the labels over\n",
					toolName, file)
			} else {
				fmt.Fprintf(stdout, "next step: %s gate --var %s=%s\n", toolName, next.Kind, file)
			}

			return nil
		},
	}
}

// frozenContent returns the content with a SHA-256 digest from the cache or from the last commit
// that has the file, or nil.
func frozenContent(cmd *cobra.Command, flags *globalFlags, file, digest string) []byte {
	var d cache.Digest
	if err := d.UnmarshalText([]byte(digest)); err != nil {
		return nil
	}

	if store, err := openStore(flags); err == nil {
		content, err := store.Bytes(d)
		_ = store.Close()
		if err == nil {
			return content
		}
	}

	content, err := git(cmd.Context(), filepath.Dir(file), nil, "show", "HEAD:./"+filepath.Base(file))
	if err != nil {
		return nil
	}

	if sum := sha256.Sum256([]byte(content)); hex.EncodeToString(sum[:]) != digest {
		return nil
	}

	return []byte(content)
}
