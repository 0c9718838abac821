//go:build !containers

package main

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"

	"github.com/touchstone-eval/touchstone/internal/base/arguments"
	"github.com/touchstone-eval/touchstone/internal/base/atomicfile"
	"github.com/touchstone-eval/touchstone/internal/base/safetext"
	"github.com/touchstone-eval/touchstone/internal/selection"
	"github.com/touchstone-eval/touchstone/internal/selection/exchange"
	"github.com/touchstone-eval/touchstone/internal/selection/store"
)

func newEvalCasesCommand(f *evalFlags) *cobra.Command {
	var tag string
	list := func(cmd *cobra.Command, s *store.Store) (evalPage[selection.Case], error) {
		return allPages(func(p store.Page) ([]selection.Case, int, error) {
			return s.Cases(cmd.Context(), store.CaseFilter{Tag: tag, Page: p})
		})
	}
	cmd := &cobra.Command{
		Use:   "cases",
		Short: "List, export and remove cases; eval import adds them",
		Args:  arguments.None,
		RunE: f.withData(func(cmd *cobra.Command, _ []string, s *store.Store) error {
			cases, err := list(cmd, s)
			if err != nil {
				return err
			}

			return f.print(cmd.OutOrStdout(), cases, func(w io.Writer) {
				row(w, "ID", "NAME", "EXPECTED", "QUERY")
				for _, c := range cases.Items {
					row(w, c.ID, c.Name, expectedText(c), c.Query)
				}
			})
		}),
	}
	cmd.PersistentFlags().StringVar(&tag, "tag", "", "only the cases with this tag")
	var format, output string
	export := &cobra.Command{
		Use:   "export",
		Short: "Export cases, and the servers that they need, as JSON, YAML or CSV",
		Args:  arguments.None,
		RunE: f.withData(func(cmd *cobra.Command, _ []string, s *store.Store) error {
			cases, err := list(cmd, s)
			if err != nil {
				return err
			}

			text, err := exported(cmd, s, cases.Items, format, output)
			if err != nil {
				return err
			}

			if output == "" {
				_, err = cmd.OutOrStdout().Write(text)
				return err
			}

			if err := atomicfile.WriteFile(output, text, 0o644); err != nil {
				return fmt.Errorf("write the cases: %w; choose another file with -o", err)
			}

			return nil
		}),
	}
	export.Flags().StringVar(&format, "format", "",
		"json, yaml or csv (default: by the extension of the file, or json)")
	outputVar(export.Flags(), &output, "file",
		"write to this file, completely or not at all, instead of standard output")
	remove := &cobra.Command{
		Use:   "remove ID|NAME",
		Short: "Remove a case with all its runs",
		Args:  arguments.Exactly(1),
		RunE: f.withData(func(cmd *cobra.Command, args []string, s *store.Store) error {
			return s.DeleteCase(cmd.Context(), args[0])
		}),
	}
	cmd.AddCommand(export, remove)
	return cmd
}

// exported returns cases, with the servers that they name, in the given format.
func exported(cmd *cobra.Command, s *store.Store, cases []selection.Case, format, output string) ([]byte, error) {
	var servers []selection.Server
	for _, c := range cases {
		for _, name := range c.Servers {
			if slices.ContainsFunc(servers, func(x selection.Server) bool { return x.Name == name }) {
				continue
			}

			server, err := s.ServerNamed(cmd.Context(), name)
			if err != nil {
				return nil, err
			}

			servers = append(servers, server)
		}
	}

	set := exchange.Of(servers, cases)
	if format == "" {
		format = exchange.FormatOf(output)
	}

	var text bytes.Buffer
	err := set.Write(&text, format)
	return text.Bytes(), err
}

func expectedText(c selection.Case) string {
	if len(c.Expected) == 0 {
		return "no tool"
	}
	var names []string
	for _, call := range c.Expected {
		var choices []string
		for _, one := range call.Choices() {
			choices = append(choices, one.Server+":"+one.Tool)
		}
		name := strings.Join(choices, " or ")
		if call.Optional {
			name += " (optional)"
		}
		names = append(names, name)
	}
	return strings.Join(names, ", ")
}

// reportSkipped says which entries of a file were not read.
func reportSkipped(log io.Writer, path string, skipped []exchange.Skipped) {
	for _, x := range skipped {
		fmt.Fprintf(log, "touchstone: %s: %s was not read: %s\n", safetext.Visible(path), safetext.Visible(x.Entry),
			safetext.Visible(x.Reason))
	}
}

// namedSet is a set that was read from a file.
type namedSet struct {
	path string
	set  exchange.Set
}

// importedFiles is what came of several files.
type importedFiles struct {
	exchange.Imported
	BatchIDs []string `json:"batch_ids"`
}

func (a *importedFiles) add(one exchange.Imported) {
	a.CaseIDs = append(a.CaseIDs, one.CaseIDs...)
	a.ServersAdded += one.ServersAdded
	a.CasesAdded += one.CasesAdded
	a.RunsAdded += one.RunsAdded
	a.RunsExisting += one.RunsExisting
	a.RunsJudgedOtherwise += one.RunsJudgedOtherwise
	a.Skipped = append(a.Skipped, one.Skipped...)
	a.Notes = append(a.Notes, one.Notes...)
	if one.BatchID != "" {
		a.BatchIDs = append(a.BatchIDs, one.BatchID)
	}
}

// writeRuns says what became of the runs of another program, if there are any.
func (a *importedFiles) writeRuns(w io.Writer) {
	if a.RunsAdded+a.RunsExisting == 0 {
		return
	}

	fmt.Fprintf(w, "%s imported, %d already existed\n", english.Plural(a.RunsAdded, "run", ""), a.RunsExisting)
	for _, id := range a.BatchIDs {
		fmt.Fprintf(w, "batch %s\n", id)
	}

	if n := a.RunsJudgedOtherwise; n > 0 {
		fmt.Fprintf(w, "%s another class here than in mcp-tef: both are in `touchstone eval runs show ID`\n",
			english.PluralWord(n, "1 run has", fmt.Sprintf("%d runs have", n)))
	}
}

func newEvalImportCommand(f *evalFlags) *cobra.Command {
	var format string
	var set []string
	cmd := &cobra.Command{
		Use:   "import FILE...",
		Short: "Import servers and cases, also the test cases and runs of mcp-tef",
		Long: `Import servers and cases from JSON, YAML or CSV, from mcp-tef's test cases and runs as
JSON, from its SQLite database (a file that ends in .db, .sqlite or .sqlite3), which is
only read, or the servers of the MCP configuration of a client. Entries of mcp-tef that
cannot be read are named, and the others are imported. --set gives the value of a
template such as ${MCP_SERVER_URL}. A server, case or run that already exists with the
same content is not added again. Servers are not contacted.

Runs of mcp-tef become a batch that is marked as imported. Figures leave them out unless
they are asked for. Their cases have to be imported before, or in the same command.`,
		Example: `  touchstone eval import ~/.cursor/mcp.json
  touchstone eval import tef.db
  touchstone eval import test-cases.json test-runs.json`,
		Args: arguments.AtLeast(1),
		RunE: f.withStore(func(cmd *cobra.Command, args []string, s *store.Store) error {
			sets := make([]namedSet, len(args))
			for i, path := range args {
				read, err := readSet(cmd, path, format, set)
				if err != nil {
					return err
				}

				sets[i] = namedSet{path, read}
			}

			// Runs need their cases, which another of the files may have.
			slices.SortStableFunc(sets, func(a, b namedSet) int {
				return cmp.Compare(len(a.set.Runs), len(b.set.Runs))
			})

			all := importedFiles{Imported: exchange.Imported{CaseIDs: []string{}}, BatchIDs: []string{}}
			for _, x := range sets {
				imported, err := importSet(cmd, s, x.path, x.set)
				if err != nil {
					return err
				}

				all.add(imported)
				reportSkipped(cmd.ErrOrStderr(), x.path, imported.Skipped)
			}

			err := f.print(cmd.OutOrStdout(), all, func(w io.Writer) {
				fmt.Fprintf(w, "%d servers and %d cases added, %d cases already existed\n", all.ServersAdded,
					all.CasesAdded, len(all.CaseIDs)-all.CasesAdded)
				all.writeRuns(w)
			})
			if err == nil && len(all.Skipped) > 0 {
				err = &exitError{exitUsage, nil}
			}

			return err
		}),
	}
	cmd.Flags().StringVar(&format, "format", "", "json, yaml or csv (default: by the extension of the file)")
	cmd.Flags().StringArrayVar(&set, "set", nil,
		"the value of a template ${NAME} in the files, NAME=VALUE (repeatable)")
	return cmd
}
