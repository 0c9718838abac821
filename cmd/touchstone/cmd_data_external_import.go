//go:build !containers

package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/base/arguments"
	"github.com/touchstone-eval/touchstone/internal/base/safetext"
	"github.com/touchstone-eval/touchstone/internal/data/convert"
	"github.com/touchstone-eval/touchstone/internal/data/external"
	"github.com/touchstone-eval/touchstone/internal/data/validation"
)

func newExternalImportCommand(flags *globalFlags, f *externalFlags) *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:   "import NAME -o DIR",
		Short: "Write a dataset of another project in the format of the pipeline",
		Long: `Writes corpus.json, golden.json or security.json to DIR. If the licence of the dataset does
not allow redistribution, DIR must be outside the repository of the file that names it. A
dataset with another digest than the expected one is refused.`,
		Args: arguments.Exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			sources, dir, err := f.sources(flags, args)
			if err != nil {
				return err
			}

			facts, all, err := usable(cmd.Context(), &sources[0], dir)
			if err != nil {
				return err
			}

			if err := mayWrite(&sources[0], f.file, out); err != nil {
				return &exitError{exitBadDataset, err}
			}

			if facts.Datasets, err = writeImported(all, out); err != nil {
				return err
			}

			if asJSON(cmd) {
				return printJSON(cmd.OutOrStdout(), facts)
			}

			printImported(cmd.OutOrStdout(), facts.Datasets)
			return nil
		},
	}
	outputVar(cmd.Flags(), &out, "directory", "the directory to write to")
	cmd.MarkFlagRequired("output")
	return cmd
}

func describeImported(one convert.Imported) externalDataset {
	return externalDataset{Kind: one.Kind, Entries: one.Entries(), Notes: append([]string{}, one.Notes...)}
}

// writeImported writes datasets to a directory, in which none of their files may
// exist.
func writeImported(all []convert.Imported, dir string) ([]externalDataset, error) {
	var datasets []externalDataset
	for _, one := range all {
		d := describeImported(one)
		d.File = filepath.Join(dir, one.Kind+".json")
		if _, err := os.Lstat(d.File); err == nil {
			return nil, fmt.Errorf("%s exists, and import does not overwrite files: choose another directory", d.File)
		}

		datasets = append(datasets, d)
	}

	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}

	for i, one := range all {
		if err := contracts.Write(datasets[i].File, one.Value()); err != nil {
			return nil, err
		}
	}

	return datasets, nil
}

func printImported(w io.Writer, datasets []externalDataset) {
	for _, d := range datasets {
		fmt.Fprintf(w, "%s: %s, %d entries\n", d.Kind, d.File, d.Entries)
		for _, note := range d.Notes {
			fmt.Fprintf(w, "  %s\n", safetext.Visible(note))
		}
	}
}

// usable opens a source that has to be there, with the expected digest.
func usable(ctx context.Context, s *external.Source, dir string) (externalJSON, []convert.Imported, error) {
	facts, all, err := openExternal(ctx, s, dir)
	switch {
	case err != nil:
		return facts, nil, &exitError{exitBadDataset, fmt.Errorf("%s: %w", s.Name, err)}
	case facts.State == external.Absent:
		return facts, nil, fmt.Errorf("%s is not on this machine; get %s, and put it or a link to it at %s", s.Name,
			s.Address, facts.Path)
	case facts.State == external.Changed:
		return facts, nil, &exitError{exitBadDataset,
			fmt.Errorf("%s has the digest %s, and %s is expected; get the revision %s, or correct sha256", s.Name,
				facts.SHA256, s.SHA256, s.Revision)}
	}

	return facts, all, nil
}

// mayWrite refuses data that may not be redistributed inside the repository
// that the file of sources is in.
func mayWrite(s *external.Source, file, out string) error {
	message, _ := validation.CheckLicense(s.License)
	if message == "" {
		return nil
	}

	tree, err := treeOf(file)
	if err != nil {
		return err
	}

	target, err := existing(out)
	if err != nil {
		return err
	}

	if inside, err := filepath.Rel(tree, target); err == nil && (inside == "." || filepath.IsLocal(inside)) {
		return fmt.Errorf("%s may not be copied into %s: %s; write it to a directory outside, and refer to it", s.Name,
			tree, message)
	}

	return nil
}

// treeOf returns the repository that a file is in: the nearest directory above
// it with .git, or else the directory above that of the file.
func treeOf(file string) (string, error) {
	dir, err := existing(filepath.Dir(file))
	if err != nil {
		return "", err
	}
	for at := dir; at != filepath.Dir(at); at = filepath.Dir(at) {
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil {
			return at, nil
		}
	}
	return filepath.Dir(dir), nil
}

// existing resolves the links of the part of a path that exists.
func existing(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}

	rest := ""
	for at := path; ; at = filepath.Dir(at) {
		if resolved, err := filepath.EvalSymlinks(at); err == nil {
			return filepath.Join(resolved, rest), nil
		}

		if at == filepath.Dir(at) {
			return path, nil
		}

		rest = filepath.Join(filepath.Base(at), rest)
	}
}
