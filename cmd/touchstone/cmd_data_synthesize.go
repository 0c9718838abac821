//go:build !containers

package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/base/arguments"
	"github.com/touchstone-eval/touchstone/internal/data/synthetic"
)

func newDataSynthesizeCommand() *cobra.Command {
	var opts synthetic.Options
	var dir string
	cmd := &cobra.Command{
		Use:   "synthesize --tools N --servers N --queries N -o DIR",
		Short: "Generate a synthetic corpus and golden set of any size, to measure scale",
		Long: `Writes corpus.json and golden.json to DIR. The texts are assembled from tables and
labelled synthetic: they show how a proxy scales, but not how well it finds real tools.
The same numbers and seed give the same bytes. It is an error if a file already
exists.`,
		Example: `  touchstone data synthesize --tools 5000 --servers 100 --queries 1000 -o big
  touchstone run --until aggregate -o out --var corpus=big/corpus.json --var golden=big/golden.json`,
		Args: arguments.None,
		RunE: func(cmd *cobra.Command, _ []string) error {
			corpusFile, goldenFile := filepath.Join(dir, "corpus.json"), filepath.Join(dir, "golden.json")
			for _, file := range []string{corpusFile, goldenFile} {
				if _, err := os.Lstat(file); !errors.Is(err, fs.ErrNotExist) {
					return fmt.Errorf("%s already exists; remove it or choose another directory", file)
				}
			}

			corpus, golden, err := synthetic.Generate(opts)
			if err != nil {
				return err
			}

			if err := os.MkdirAll(dir, 0o755); err != nil {
				return err
			}

			if err := contracts.Write(corpusFile, corpus); err != nil {
				return err
			}

			if err := contracts.Write(goldenFile, golden); err != nil {
				return err
			}

			facts := map[string]any{"corpus": corpusFile, "golden": goldenFile, "version": corpus.Version}
			if asJSON(cmd) {
				return printJSON(cmd.OutOrStdout(), facts)
			}

			fmt.Fprintf(cmd.OutOrStdout(), "wrote %s (%d tools) and %s (%d queries), version %s\n", corpusFile,
				len(corpus.Tools), goldenFile, len(golden.Queries), corpus.Version)
			return nil
		},
	}
	f := cmd.Flags()
	f.IntVar(&opts.Tools, "tools", 0, "the number of tools")
	f.IntVar(&opts.Servers, "servers", 0, "the number of servers")
	f.IntVar(&opts.Queries, "queries", 0, "the number of queries")
	f.Uint64Var(&opts.Seed, "seed", 1, "the seed for the choice of texts")
	outputVar(f, &dir, "directory", "the directory to write to")
	for _, name := range []string{"tools", "servers", "queries", "output"} {
		if err := cmd.MarkFlagRequired(name); err != nil {
			panic(err) // the flag does not exist: a bug in this program
		}
	}

	return cmd
}
