//go:build !containers

package main

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/base/arguments"
	"github.com/touchstone-eval/touchstone/internal/data/pool"
	"github.com/touchstone-eval/touchstone/internal/data/power"
	"github.com/touchstone-eval/touchstone/internal/report/significance"
)

// powerDepth is the number of results that a run is scored on.
const powerDepth = 10

func newDataPowerCommand() *cobra.Command {
	var f poolFlags
	var o power.Options
	cmd := &cobra.Command{
		Use:   "power --corpus FILE --golden FILE",
		Short: "Print the smallest change that a golden set can detect, for any size",
		Long: `Asks several retrievers every query, as "data pool" does, and compares them pair by
pair. From the differences of single queries it computes the minimum detectable difference of
means: what a paired test at level .05 detects with 80% power, which is 2.8 standard errors.
Queries that share a right tool are not independent, and count as one group.

The pair that differs least stands for a small change of a proxy, and the one that differs
most for another proxy. To ask about a change of your own, give the results before and
after it with --run, and --retriever none.`,
		Example: `  touchstone data power --corpus corpus.json --golden golden.json --size 250,500,1000
  touchstone data power --corpus corpus.json --golden golden.json --retriever none --run before.txt --run after.txt --detect 0.02`,
		Args: arguments.None,
		RunE: func(cmd *cobra.Command, _ []string) error {
			f.depth = powerDepth
			return runDatasetsPower(cmd, &f, o)
		},
	}
	p := cmd.Flags()
	p.StringVar(&f.corpus, "corpus", "", "the tools to search")
	p.StringVar(&f.golden, "golden", "", "the golden set")
	f.searchFlags(p)
	p.StringSliceVar(&o.Metrics, "metric", []string{"recall_at_5", "ndcg_at_10"}, "the metrics")
	p.IntSliceVar(&o.Sizes, "size", []int{100, 250, 500, 1000, 2000},
		"numbers of queries to answer for, besides that of the set")
	p.Float64Var(&o.Detect, "detect", 0, "also print how many queries detect this difference")
	cmd.MarkFlagRequired("corpus")
	cmd.MarkFlagRequired("golden")
	return cmd
}

func runDatasetsPower(cmd *cobra.Command, f *poolFlags, o power.Options) error {
	for _, n := range o.Sizes {
		if n < 2 {
			return fmt.Errorf("--size %d is out of range: a set has at least 2 queries", n)
		}
	}

	if o.Detect < 0 || o.Detect > 1 {
		return fmt.Errorf("--detect %g is out of range: give a difference between 0 and 1", o.Detect)
	}

	r, err := f.retrieve(cmd)
	if err != nil {
		return err
	}

	for i := range r.runs {
		r.runs[i] = cut(r.runs[i])
	}

	groups := groupsOf(*r.golden)
	if !slices.Contains(o.Sizes, len(groups)) && len(groups) > 1 {
		o.Sizes = append(o.Sizes, len(groups))
	}

	slices.Sort(o.Sizes)
	found, err := power.Of(*r.golden, groups, r.runs, o)
	if err != nil {
		return err
	}

	if asJSON(cmd) {
		return printJSON(cmd.OutOrStdout(), found)
	}

	return writePower(cmd.OutOrStdout(), found, o)
}

// groupsOf names the group of each query with a right tool.
func groupsOf(golden contracts.GoldenSet) []string {
	summaries := []contracts.QuerySummary{}
	for _, q := range power.Answerable(golden) {
		summaries = append(summaries, contracts.QuerySummary{ID: q.ID, Labels: q.Labels})
	}
	return significance.Groups(summaries)
}

// cut limits the results of a run to those that are scored.
func cut(run pool.Run) pool.Run {
	for id, found := range run.Found {
		run.Found[id] = found[:min(powerDepth, len(found))]
	}
	return run
}

func writePower(w io.Writer, p *power.Power, o power.Options) error {
	fmt.Fprintf(w, "%d queries with a right tool, in %d independent groups\n", p.Queries, p.Groups)
	for _, m := range p.Metrics {
		fmt.Fprintf(w, "\n%s: the minimum detectable difference (80%% power)\n", m.Metric)
		table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		fmt.Fprintln(table, "QUERIES\tLEAST\tMEDIAN\tMOST")
		for _, s := range m.Sizes {
			mark := ""
			if s.Queries == p.Queries {
				mark = "\tthis set"
			}

			fmt.Fprintf(table, "%d\t%.4f\t%.4f\t%.4f%s\n", s.Queries, s.Least, s.Median, s.Most, mark)
		}

		fmt.Fprintln(table, "\nPAIR\tDIFFERENCE\tSD\tDETECTED")
		for _, pair := range m.Pairs {
			fmt.Fprintf(table, "%s, %s\t%+.4f\t%.4f\t%.4f\n", pair.A, pair.B, pair.Delta, pair.SD, pair.Detectable)
		}

		if err := table.Flush(); err != nil {
			return err
		}

		if m.Needed != nil {
			fmt.Fprintf(w, "\n%d queries detect %g, for the median pair\n", *m.Needed, o.Detect)
		}
	}

	return nil
}
