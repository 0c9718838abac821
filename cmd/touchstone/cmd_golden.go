package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/base/arguments"
	"github.com/touchstone-eval/touchstone/internal/base/atomicfile"
	"github.com/touchstone-eval/touchstone/stages/refreshcorpus"
)

func newGoldenCommand(flags *globalFlags) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "golden",
		Short: "Migrate the labels of a golden set to another version of its corpus",
		Args:  arguments.None,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newGoldenMigrateCommand(flags))
	return cmd
}

// migrateFlags are the flags of data golden migrate.
type migrateFlags struct {
	dir, from, to string
	out, work     string
	options       refreshcorpus.MigrateOptions
}

func newGoldenMigrateCommand(flags *globalFlags) *cobra.Command {
	var f migrateFlags
	cmd := &cobra.Command{
		Use:   "migrate GOLDEN --to CORPUS",
		Short: "Write the golden set for a new corpus, and list what a person has to review",
		Long: `Keeps each label whose tool still exists or was certainly renamed. Prints what a person
has to review: labels whose tool is gone, with tools that may replace it; tools whose
description changed; queries that had to be left out. The result is a valid draft for
validate-datasets.

No file is overwritten. Corpora are given as files, or as versions in --dir.`,
		Args: arguments.Exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			m, file, err := f.migrate(args[0])
			if err != nil {
				return datasetError(err)
			}

			if f.work != "" {
				var text bytes.Buffer
				m.Write(&text)
				if err := atomicfile.WriteFile(f.work, text.Bytes(), 0o644); err != nil {
					return fmt.Errorf("write the list of work: %w; choose another file", err)
				}
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
	p.StringVar(&f.from, "from", "", "the corpus of the present labels (default: the version named in the golden set)")
	p.StringVar(&f.to, "to", "", "the corpus to migrate to")
	p.StringVar(&f.dir, "dir", "datasets", "the directory of the datasets")
	p.StringVarP(&f.out, "output", "o", "", "the file to write, which must not exist (default: golden_VERSION.json "+
		"in the directory)")
	p.StringVar(&f.work, "work-list", "", "also write the list of work to this file")
	p.StringVar(&f.options.Version, "version", "",
		"the version of the new set (default: the one after the present version)")
	p.StringVar(&f.options.Date, "date", time.Now().UTC().Format(time.DateOnly), "the date to record in the set")
	cmd.MarkFlagRequired("to")
	return cmd
}

func (f *migrateFlags) migrate(goldenFile string) (*refreshcorpus.Migration, string, error) {
	golden, err := contracts.Read[contracts.GoldenSet](goldenFile)
	if err != nil {
		return nil, "", err
	}

	from := f.from
	if from == "" {
		from = golden.CorpusVersion
	}

	before, err := readCorpus(f.dir, from)
	if errors.Is(err, fs.ErrNotExist) && f.from == "" {
		return nil, "", fmt.Errorf("%w; name the corpus of %s with --from", err, goldenFile)
	}

	if err != nil {
		return nil, "", err
	}

	after, err := readCorpus(f.dir, f.to)
	if err != nil {
		return nil, "", err
	}

	m, err := refreshcorpus.Migrate(golden, before, after, f.options)
	if err != nil {
		return nil, "", err
	}

	out := f.out
	if out == "" {
		out = filepath.Join(f.dir, "golden_"+m.Version+".json")
	}

	if f.work != "" {
		if _, err := os.Lstat(f.work); err == nil {
			return nil, "", fmt.Errorf("%s exists; name another file with --work-list", f.work)
		}
	}

	return m, out, m.WriteGolden(out)
}
