//go:build !containers

package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/base/safetext"
	"github.com/touchstone-eval/touchstone/internal/data/quality"
	"github.com/touchstone-eval/touchstone/internal/data/validation"
	"github.com/touchstone-eval/touchstone/internal/data/versions"
)

// checkedJSON is one dataset in data check and stats --json.
type checkedJSON struct {
	Kind     string            `json:"kind"`
	Version  string            `json:"version"`
	State    string            `json:"state"`
	Entries  int               `json:"entries"`
	File     string            `json:"file"`
	Warnings []string          `json:"warnings,omitempty"`
	Tables   []quality.Table   `json:"tables"`
	Findings []quality.Finding `json:"findings,omitempty"`
}

func newDataCheckCommand(lock *string) *cobra.Command {
	var strict bool
	cmd := &cobra.Command{
		Use:   "check [FILE...]",
		Short: "Validate datasets, and list what a reader should look at",
		Long: `Validates each file as the pipeline does, and then looks for what no rule forbids:

  near-duplicate  entries whose texts are almost the same (MinHash; twins may be)
  leak            near-duplicate queries in different splits
  overlap         queries that consist of words of a right tool's name and description
  personal-data   addresses, numbers of accounts and persons, and keys, unless they are reserved for examples
  abuse           words that no dataset needs
  round-trip      a file that changes when this program reads and writes it

Without FILE it checks all datasets next to the lock file. The exit code is 4 for invalid
data and, with --strict, for findings too.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			all, err := describeDatasets(*lock, args)
			if err != nil {
				return err
			}

			findings := 0
			for _, d := range all {
				findings += len(d.Findings)
			}

			if asJSON(cmd) {
				if err := printJSON(cmd.OutOrStdout(), map[string]any{"datasets": all}); err != nil {
					return err
				}
			} else {
				writeChecks(cmd.OutOrStdout(), all)
			}

			if strict && findings > 0 {
				return &exitError{exitBadDataset, fmt.Errorf("%d findings, and --strict allows none", findings)}
			}

			return nil
		},
	}
	cmd.Flags().BoolVar(&strict, "strict", false, "exit with 4 if there is a finding")
	return cmd
}

func newDataStatsCommand(lock *string) *cobra.Command {
	return &cobra.Command{
		Use:   "stats [FILE...]",
		Short: "Print what datasets consist of: kinds, languages, labels, lengths, overlap of words",
		Long: `Prints tables of what each valid dataset consists of. Without FILE it describes all datasets
next to the lock file. The overlap of a golden set is the share of a query's words that
occur in the name or description of the right tool that shares most.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			all, err := describeDatasets(*lock, args)
			if err != nil {
				return err
			}

			for i := range all {
				all[i].Warnings, all[i].Findings = nil, nil
			}

			if asJSON(cmd) {
				return printJSON(cmd.OutOrStdout(), map[string]any{"datasets": all})
			}

			for i, d := range all {
				if i > 0 {
					fmt.Fprintln(cmd.OutOrStdout())
				}

				if err := writeStats(cmd.OutOrStdout(), d); err != nil {
					return err
				}
			}

			return nil
		},
	}
}

// describeDatasets validates files, or all datasets next to the lock file, and
// describes them.
func describeDatasets(lock string, files []string) ([]checkedJSON, error) {
	if len(files) == 0 {
		listed, err := versions.List(lock)
		if err != nil {
			return nil, datasetError(err)
		}

		for _, l := range listed {
			if l.State != versions.StateMissing {
				files = append(files, l.File)
			}
		}

		files = slices.Compact(files)
	}

	frozen, err := validation.ReadLock(lock)
	if err != nil {
		return nil, datasetError(err)
	}

	checked, err := validation.Check(frozen, files)
	if err != nil {
		return nil, datasetError(err)
	}

	all := make([]checkedJSON, len(checked))
	for i, c := range checked {
		report, err := qualityOf(c)
		if err != nil {
			return nil, err
		}

		all[i] = checkedJSON{c.Kind, c.Version, c.State, c.Entries, c.Path, c.Warnings, report.Tables, report.Findings}
	}

	return all, nil
}

func qualityOf(c validation.Checked) (*quality.Report, error) {
	switch c.Kind {
	case contracts.KindCorpus:
		v, err := contracts.Decode[contracts.Corpus](c.Path, c.Data)
		return quality.Corpus(c.Path, c.Data, v), err
	case contracts.KindGolden:
		v, err := contracts.Decode[contracts.GoldenSet](c.Path, c.Data)
		return quality.Golden(c.Path, c.Data, v, *c.Corpus), err
	case contracts.KindSecurity:
		v, err := contracts.Decode[contracts.SecurityCorpus](c.Path, c.Data)
		return quality.Security(c.Path, c.Data, v), err
	}

	v, err := contracts.Decode[contracts.CaseSet](c.Path, c.Data)
	return quality.Cases(c.Path, c.Data, v), err
}

// mostFindings limits the printed findings of one check in one file.
const mostFindings = 20

func writeChecks(w io.Writer, all []checkedJSON) {
	for _, d := range all {
		fmt.Fprintf(w, "%s %s, %s: %s, %d entries, valid\n", d.Kind, safetext.Visible(d.Version), d.State, d.File,
			d.Entries)
		for _, warning := range d.Warnings {
			fmt.Fprintf(w, "  %s\n", safetext.Visible(warning))
		}

		counts := map[string]int{}
		for _, f := range d.Findings {
			if counts[f.Check]++; counts[f.Check] > mostFindings {
				continue
			}

			entry := ""
			if f.Entry != "" {
				entry = safetext.Visible(f.Entry) + ": "
			}

			fmt.Fprintf(w, "  %s: %s%s\n", f.Check, entry, safetext.Visible(f.Message))
		}

		for _, check := range []string{"near-duplicate", "leak", "overlap", "personal-data", "abuse", "round-trip"} {
			if more := counts[check] - mostFindings; more > 0 {
				fmt.Fprintf(w, "  %s: %d more; --json lists them\n", check, more)
			}
		}
	}
}

// mostRows limits the printed rows of a table.
const mostRows = 40

func writeStats(w io.Writer, d checkedJSON) error {
	fmt.Fprintf(w, "%s %s: %s\n", d.Kind, safetext.Visible(d.Version), d.File)
	for _, t := range d.Tables {
		if len(t.Rows) == 0 {
			continue
		}

		fmt.Fprintf(w, "\n%s\n", t.Name)
		table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		for _, row := range t.Rows[:min(mostRows, len(t.Rows))] {
			fmt.Fprintf(table, "  %s\t%s", safetext.Visible(row.Name), number(row.Value))
			if row.Share != nil {
				fmt.Fprintf(table, "\t%5.1f%%\t%s", 100**row.Share, strings.Repeat("█", int(*row.Share*30+0.5)))
			}

			fmt.Fprintln(table)
		}

		if err := table.Flush(); err != nil {
			return err
		}

		if more := len(t.Rows) - mostRows; more > 0 {
			fmt.Fprintf(w, "  and %d more\n", more)
		}
	}

	return nil
}

func number(v float64) string {
	if v == float64(int64(v)) {
		return fmt.Sprint(int64(v))
	}
	return fmt.Sprintf("%.3f", v)
}
