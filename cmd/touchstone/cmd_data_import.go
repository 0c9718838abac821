//go:build !containers

package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/base/arguments"
	"github.com/touchstone-eval/touchstone/internal/data/convert"
	"github.com/touchstone-eval/touchstone/internal/data/external"
)

// importJSON is the output of data import --json.
type importJSON struct {
	Kind  string   `json:"kind"`
	File  string   `json:"file"`
	Notes []string `json:"notes"`
}

func newDataImportCommand() *cobra.Command {
	var out, corpus, schemas, server, format string
	var opts convert.ImportOptions
	var licenses []string
	cmd := &cobra.Command{
		Use:   "import FILE|DIR -o FILE|DIR",
		Short: "Convert a dataset of another project, and report what was dropped",
		Long: `Reads a tool corpus, a golden set, a security corpus or a detector corpus in the format
that mcpproxy-go publishes, or the answer of an MCP server to tools/list, and writes it in
the format of the pipeline. Prints what was mapped, added or dropped. The output file must
not exist.

  touchstone data import their/corpus.json -o corpus.json
  touchstone data import tools.json --server weather -o corpus.json
  touchstone data import their/golden.json --corpus corpus.json -o golden.json
  touchstone data import their/entries.json --license self-authored=MIT -o security.json

With --format it reads a dataset in another format ("data external --help" lists them)
from a file or a directory, and -o is a directory, to which it writes corpus.json,
golden.json or security.json. Their licence is NOASSERTION unless --license NOASSERTION=SPDX
says what it is.

  touchstone data import scifact --format beir -o scifact-imported

Check the result with validate-datasets.`,
		Args: arguments.Exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			var err error
			if opts.Licenses, err = pairs("--license", licenses); err != nil {
				return err
			}

			if format != "" {
				return importFormat(cmd, format, args[0], out, opts)
			}

			for _, of := range []struct {
				flag, file string
				to         **contracts.Corpus
			}{{"corpus", corpus, &opts.Corpus}, {"schemas", schemas, &opts.Schemas}} {
				if of.file == "" {
					continue
				}

				c, _, err := readTools(of.file, server)
				if err != nil {
					return ofFlag(of.flag, err)
				}

				*of.to = &c
			}

			data, err := contracts.ReadBytes(args[0])
			if err != nil {
				return err
			}

			if _, err := os.Lstat(out); !errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("%s exists, and import does not overwrite files: choose another name", out)
			}

			imported, err := importDataset(args[0], server, data, opts)
			if err != nil {
				return err
			}

			if err := contracts.Write(out, imported.Value()); err != nil {
				return err
			}

			if asJSON(cmd) {
				return printJSON(cmd.OutOrStdout(),
					importJSON{imported.Kind, out, append([]string{}, imported.Notes...)})
			}

			fmt.Fprintf(cmd.OutOrStdout(), "%s: %s\n", imported.Kind, out)
			for _, note := range imported.Notes {
				fmt.Fprintf(cmd.OutOrStdout(), "  %s\n", note)
			}

			return nil
		},
	}
	f := cmd.Flags()
	outputVar(f, &out, "file", "the file to write")
	f.StringVar(&corpus, "corpus", "", "the imported corpus of a golden set")
	f.StringVar(&schemas, "schemas", "", "an imported corpus that supplies missing argument schemas of a corpus")
	f.StringVar(&opts.Version, "version", "",
		"the version (default: the one in the file, or else imported- and the start of its SHA-256 digest)")
	f.StringVar(&format, "format", "", "the format of the dataset, if it is none of those above")
	f.StringVar(&server, "server", "", serverHelp)
	f.StringArrayVar(&licenses, "license", nil,
		"NAME=SPDX, the SPDX identifier for a licence that the file names otherwise (repeatable)")
	f.StringArrayVar(&opts.DropCategories, "drop-category", nil,
		"a category of a security corpus to leave out (repeatable)")
	cmd.MarkFlagRequired("output")
	return cmd
}

// importFormat converts a dataset in a named format.
func importFormat(cmd *cobra.Command, format, path, out string, opts convert.ImportOptions) error {
	path, err := filepath.Abs(path)
	if err != nil {
		return err
	}

	s := external.Source{Name: filepath.Base(path), Format: format, Address: filepath.Base(path),
		License: cmp.Or(opts.Licenses["NOASSERTION"], "NOASSERTION")}
	if _, known := convert.FormatByName(format); !known {
		return fmt.Errorf("there is no format %q; touchstone data external --help lists them", format)
	}

	found, err := s.Find(cmd.Context(), filepath.Dir(path))
	if err != nil {
		return err
	}

	all, err := s.Import(found.Files, cmp.Or(opts.Version, fmt.Sprintf("imported-%.12s", found.Digest)))
	if err != nil {
		return &exitError{exitBadDataset, err}
	}

	datasets, err := writeImported(all, out)
	if err != nil {
		return err
	}

	if asJSON(cmd) {
		return printJSON(cmd.OutOrStdout(), map[string]any{"datasets": datasets})
	}

	printImported(cmd.OutOrStdout(), datasets)
	return nil
}

// importDataset converts a dataset of another project or the answer of a server
// to tools/list.
func importDataset(file, server string, data []byte, opts convert.ImportOptions) (convert.Imported, error) {
	opts.Fallback = digestVersion(data)
	if !isToolList(data) {
		return convert.Import(file, data, opts)
	}
	corpus, notes, err := corpusOfToolList(file, server, data)
	if err != nil {
		return convert.Imported{}, err
	}
	corpus.Version = cmp.Or(opts.Version, corpus.Version)
	return convert.Imported{Kind: convert.KindCorpus, Corpus: &corpus, Notes: notes}, nil
}

// pairs parses the NAME=VALUE words of a flag.
func pairs(flag string, words []string) (map[string]string, error) {
	m := map[string]string{}
	for _, w := range words {
		name, value, ok := strings.Cut(w, "=")
		if !ok || name == "" || value == "" {
			return nil, fmt.Errorf("%s %q is not NAME=VALUE", flag, w)
		}
		m[name] = value
	}
	return m, nil
}
