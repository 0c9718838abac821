//go:build !containers

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/base/arguments"
	"github.com/touchstone-eval/touchstone/internal/base/safetext"
	"github.com/touchstone-eval/touchstone/internal/data/convert"
	"github.com/touchstone-eval/touchstone/internal/data/external"
)

// externalFlags are those of touchstone data external.
type externalFlags struct{ file, dir string }

// externalJSON is one source in data external --json. Datasets is empty if
// the source is absent.
type externalJSON struct {
	Name     string            `json:"name"`
	About    string            `json:"about"`
	Source   string            `json:"source"`
	Revision string            `json:"revision,omitempty"`
	License  string            `json:"license"`
	Format   string            `json:"format"`
	State    string            `json:"state"`
	Path     string            `json:"path"`
	Expected string            `json:"expected_sha256,omitempty"`
	SHA256   string            `json:"sha256,omitempty"`
	Datasets []externalDataset `json:"datasets"`
}

// externalDataset is what an importer makes of a source. File is empty if it was
// not written.
type externalDataset struct {
	Kind    string   `json:"kind"`
	Entries int      `json:"entries"`
	File    string   `json:"file,omitempty"`
	Notes   []string `json:"notes"`
}

func newDataExternalCommand(flags *globalFlags) *cobra.Command {
	var f externalFlags
	var formats strings.Builder
	for _, format := range convert.Formats() {
		fmt.Fprintf(&formats, "  %-18s %s\n", format.Name, format.About)
	}

	cmd := &cobra.Command{
		Use:   "external [NAME...]",
		Short: "List datasets of other projects, fetch them, and run detectors and retrievers on them",
		Long: `Lists the datasets that the file names, and says which are on this machine: verified, if
they have the expected digest; unpinned, if no digest is expected; changed, or absent. It
imports those that are there, to count their entries. It writes nothing.

A dataset is at DIR/NAME: a directory, a file, or a link to one of them. The licence of
many forbids copies, so this repository has none of them: it refers to them by address,
revision and digest.

Formats:
` + formats.String(),
		Example: `  touchstone data external
  git clone https://github.com/luckyPipewrench/agent-egress-bench ~/data/agent-egress-bench
  touchstone data external run --dir ~/data agent-egress-bench`,
		RunE: func(cmd *cobra.Command, args []string) error { return f.list(cmd, flags, args) },
	}
	p := cmd.PersistentFlags()
	p.StringVar(&f.file, "file", "datasets/external.hcl", "the file that names the datasets")
	p.StringVar(&f.dir, "dir", "", "where they are (default: TOUCHSTONE_EXTERNAL, or the directory external of the "+
		"cache directory)")
	cmd.AddCommand(newExternalFetchCommand(flags, &f), newExternalImportCommand(flags, &f),
		newExternalRunCommand(flags, &f))
	flags.on(cacheFlag, append(cmd.Commands(), cmd)...)
	return cmd
}

// sources reads the named sources, or all of them, and finds their directory.
func (f *externalFlags) sources(flags *globalFlags, names []string) ([]external.Source, string, error) {
	text, err := contracts.ReadBytes(f.file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, "", fmt.Errorf("there is no file %s that names datasets; write one, or name another with --file",
			f.file)
	}

	if err != nil {
		return nil, "", err
	}

	all, err := external.Parse(f.file, text)
	if err != nil {
		return nil, "", err
	}

	for _, name := range names {
		if !slices.ContainsFunc(all, func(s external.Source) bool { return s.Name == name }) {
			return nil, "", fmt.Errorf("%s names no %q; touchstone data external lists what it names", f.file, name)
		}
	}

	if len(names) > 0 {
		all = slices.DeleteFunc(all, func(s external.Source) bool { return !slices.Contains(names, s.Name) })
	}

	dir := f.dir
	if dir == "" {
		dir = os.Getenv("TOUCHSTONE_EXTERNAL")
	}

	if dir == "" {
		if dir, err = storeDir(flags); err != nil {
			return nil, "", err
		}

		dir = filepath.Join(dir, "external")
	}

	return all, dir, nil
}

// openExternal finds a source and imports it, if it is there.
func openExternal(ctx context.Context, s *external.Source, dir string) (externalJSON, []convert.Imported, error) {
	facts := externalJSON{
		Name: s.Name, About: s.About, Source: s.Address, Revision: s.Revision, License: s.License, Format: s.Format,
		Expected: s.SHA256, Datasets: []externalDataset{},
	}
	found, err := s.Find(ctx, dir)
	if err != nil {
		return facts, nil, err
	}

	facts.State, facts.Path, facts.SHA256 = found.State, found.Path, found.Digest
	if found.State == external.Absent {
		return facts, nil, nil
	}

	all, err := s.Import(found.Files, fmt.Sprintf("%s-%.12s", s.Name, found.Digest))
	for _, one := range all {
		facts.Datasets = append(facts.Datasets, describeImported(one))
	}

	return facts, all, err
}

func (f *externalFlags) list(cmd *cobra.Command, flags *globalFlags, names []string) error {
	sources, dir, err := f.sources(flags, names)
	if err != nil {
		return err
	}

	var all []externalJSON
	var failed []error
	for i := range sources {
		facts, _, err := openExternal(cmd.Context(), &sources[i], dir)
		if err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", sources[i].Name, err))
		}

		all = append(all, facts)
	}

	if asJSON(cmd) {
		err = printJSON(cmd.OutOrStdout(), map[string]any{"external": all})
	} else {
		err = writeExternal(cmd.OutOrStdout(), dir, all, len(names) > 0)
	}

	for _, problem := range failed {
		fmt.Fprintln(cmd.ErrOrStderr(), safetext.Visible(problem.Error()))
	}

	if err == nil && len(failed) > 0 {
		return &exitError{exitBadDataset, fmt.Errorf("%d of %d datasets cannot be imported", len(failed), len(all))}
	}

	return err
}

func writeExternal(w io.Writer, dir string, all []externalJSON, details bool) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "NAME\tSTATE\tCONTENT\tLICENCE\tSOURCE")
	for _, s := range all {
		content := []string{}
		for _, d := range s.Datasets {
			content = append(content, fmt.Sprintf("%s %d", d.Kind, d.Entries))
		}

		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\n", s.Name, s.State, strings.Join(content, ", "), s.License, s.Source)
	}

	if err := t.Flush(); err != nil {
		return err
	}

	for _, s := range all {
		if s.State == external.Changed {
			fmt.Fprintf(w, "%s has the digest %s, and %s is expected\n", s.Name, s.SHA256, s.Expected)
		}

		if !details {
			continue
		}

		fmt.Fprintf(w, "\n%s: %s\n", s.Name, safetext.Visible(s.About))
		if s.State == external.Absent {
			fmt.Fprintf(w, "  put it at %s\n", s.Path)
			continue
		}

		fmt.Fprintf(w, "  %s, sha256 %s\n", s.Path, s.SHA256)
		for _, d := range s.Datasets {
			for _, note := range d.Notes {
				fmt.Fprintf(w, "  %s\n", safetext.Visible(note))
			}
		}
	}

	if !details {
		fmt.Fprintf(w, "\nThey are looked for in %s.\n", dir)
	}

	return nil
}

func newExternalFetchCommand(flags *globalFlags, f *externalFlags) *cobra.Command {
	return &cobra.Command{
		Use:   "fetch NAME...",
		Short: "Download the files of datasets, and verify them",
		Long: `Downloads the files of each named dataset into its directory. Files without the expected
digest are not kept. A dataset without a url in the file that names it has to be cloned.`,
		Args: arguments.AtLeast(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			sources, dir, err := f.sources(flags, args)
			if err != nil {
				return err
			}

			for i := range sources {
				if err := sources[i].Fetch(cmd.Context(), http.DefaultClient, dir); err != nil {
					return err
				}

				fmt.Fprintf(cmd.OutOrStdout(), "%s: fetched into %s\n", sources[i].Name,
					filepath.Join(dir, sources[i].Name))
			}

			return nil
		},
	}
}
