//go:build !containers

package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/base/arguments"
	"github.com/touchstone-eval/touchstone/internal/base/safetext"
	"github.com/touchstone-eval/touchstone/internal/data/judging"
)

func newDataAgreeCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "agree FIRST SECOND",
		Aliases: []string{"agreement"},
		Short:   "Measure how far two judges agree",
		Long: `Compares the labels of two judges on the pairs of a query and a tool that both judged. Each
file is a golden set or a file of judgements, as "datasets label" exports it.

Prints the share of equal grades, Cohen's kappa, kappa with quadratic weights, kappa of
each grade against the other two, Krippendorff's alpha for nominal, ordinal and interval
grades, each with its 95% jackknife interval over queries, and every disagreement.`,
		Example: `  touchstone data agree golden.json second-judge.json`,
		Args:    arguments.Exactly(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			var judges [2]judging.Judge
			for i, file := range args {
				data, err := contracts.ReadBytes(file)
				if err != nil {
					return err
				}

				if judges[i], err = judging.Read(file, data); err != nil {
					return err
				}
			}

			agreement, err := judging.Compare(judges[0], judges[1])
			if err != nil {
				return err
			}

			if asJSON(cmd) {
				return printJSON(cmd.OutOrStdout(), agreement)
			}

			return writeAgreement(cmd.OutOrStdout(), agreement)
		},
	}
}

func writeAgreement(w io.Writer, a *judging.Agreement) error {
	fmt.Fprintf(w, "%d pairs of %d queries judged by both, %d only by the first, %d only by the second\n\n", a.Pairs,
		a.Queries, a.OnlyFirst, a.OnlySecond)
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(table, "first \\ second\t0\t1\t2\t\n")
	for grade, row := range a.Table {
		fmt.Fprintf(table, "%d\t%d\t%d\t%d\t\n", grade, row[0], row[1], row[2])
	}

	if err := table.Flush(); err != nil {
		return err
	}

	fmt.Fprintln(w)
	table = tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, f := range a.Figures {
		name := strings.ReplaceAll(f.Name, "_", " ")
		if f.Value == nil {
			fmt.Fprintf(table, "%s\tnot defined\n", name)
			continue
		}

		fmt.Fprintf(table, "%s\t%.4f", name, *f.Value)
		if f.Interval != nil {
			fmt.Fprintf(table, "\t[%.4f, %.4f]", f.Interval.Low, f.Interval.High)
		}

		fmt.Fprintln(table)
	}

	if err := table.Flush(); err != nil {
		return err
	}

	if len(a.Disagreements) > 0 {
		fmt.Fprintf(w, "\n%s:\n", english.Plural(len(a.Disagreements), "disagreement", ""))
	}

	for _, d := range a.Disagreements {
		fmt.Fprintf(w, "  %s  %s  %d, %d\n", safetext.Visible(d.Query), safetext.Visible(d.Tool), d.First, d.Second)
	}

	return nil
}
