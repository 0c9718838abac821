//go:build !containers

package main

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/base/arguments"
	"github.com/touchstone-eval/touchstone/stages/refreshcorpus"
)

// migrateFlags are the flags of data migrate.
type migrateFlags struct {
	from, out string
	options   refreshcorpus.MigrateOptions
}

func newMigrateCommand(flags *globalFlags) *cobra.Command {
	var f migrateFlags
	cmd := &cobra.Command{
		Use:   "migrate GOLDEN CORPUS",
		Short: "Write the golden set for a new corpus, and list what a person has to review",
		Long: `Keeps each label whose tool still exists or was certainly renamed. Prints what a person
has to review: labels whose tool is gone, with tools that may replace it; tools whose
description changed; queries that had to be left out. The result is a valid draft for
validate-datasets. No file is overwritten.`,
		Example: `  touchstone data migrate datasets/golden_v2.json datasets/corpus_v3.json`,
		Args:    arguments.Exactly(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			m, file, err := f.migrate(args[0], args[1])
			if err != nil {
				return datasetError(err)
			}

			if flags.json {
				return printJSON(cmd.OutOrStdout(), map[string]any{"file": file, "migration": m})
			}

			m.Write(cmd.OutOrStdout())
			fmt.Fprintf(cmd.OutOrStdout(), "wrote %s; it is a draft until it is frozen with touchstone data freeze\n",
				file)
			return nil
		},
	}
	p := cmd.Flags()
	p.StringVar(&f.from, "from", "", "the corpus of the present labels (default: the corpus of the version that the "+
		"golden set names, beside it)")
	outputVar(p, &f.out, "file", "the file to write, which must not exist (default: golden_VERSION.json "+
		"beside GOLDEN)")
	p.StringVar(&f.options.Version, "version", "",
		"the version of the new set (default: the one after the present version)")
	return cmd
}

func (f *migrateFlags) migrate(goldenFile, corpusFile string) (*refreshcorpus.Migration, string, error) {
	golden, err := contracts.Read[contracts.GoldenSet](goldenFile)
	if err != nil {
		return nil, "", err
	}

	dir := filepath.Dir(goldenFile)
	from := f.from
	if from == "" {
		from = filepath.Join(dir, "corpus_"+golden.CorpusVersion+".json")
	}

	before, _, err := readTools(from, "")
	if errors.Is(err, fs.ErrNotExist) && f.from == "" {
		return nil, "", fmt.Errorf("%w; name the corpus of %s with --from", err, goldenFile)
	}

	if err != nil {
		return nil, "", err
	}

	after, _, err := readTools(corpusFile, "")
	if err != nil {
		return nil, "", err
	}

	if f.options.Date, err = recordedDate(); err != nil {
		return nil, "", err
	}

	m, err := refreshcorpus.Migrate(golden, before, after, f.options)
	if err != nil {
		return nil, "", err
	}

	out := f.out
	if out == "" {
		out = filepath.Join(dir, "golden_"+m.Version+".json")
	}

	return m, out, m.WriteGolden(out)
}
