package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/base/arguments"
	"github.com/touchstone-eval/touchstone/internal/report/fitness"
	"github.com/touchstone-eval/touchstone/metrics"
)

// newFitnessCommand returns "touchstone fitness [CANDIDATE]", with the subcommand serve for
// optimisers.
func newFitnessCommand(global *globalFlags) *cobra.Command {
	var data fitnessData
	cmd := &cobra.Command{
		Use:   "fitness [CANDIDATE]",
		Short: "Score tool descriptions against a golden set, once or for an optimiser",
		Long: `Scores the tools of a corpus with the descriptions in CANDIDATE, a JSON file
{"id": "name", "descriptions": {"server:tool": "text"}}, with the search of the reference
proxy in this process. Without CANDIDATE it scores the original descriptions.

A seed splits the golden set in two halves: the train half is for improving descriptions,
and the held-out half shows whether they also improve on other queries. A candidate is
feasible if the scanner reports nothing that it does not report for the original.`,
		Example: `  touchstone fitness
  touchstone fitness --seed 7 better.json
  python3 examples/optimisers/climb.py`,
		Args: arguments.AtMost(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			e, err := data.evaluator()
			if err != nil {
				return err
			}

			original, err := e.ScoreBoth(cmd.Context(), contracts.Candidate{ID: "original"})
			if err != nil {
				return err
			}

			candidate := original
			if len(args) == 1 {
				c, err := contracts.Read[contracts.Candidate](args[0])
				if err != nil {
					return err
				}

				if candidate, err = e.ScoreBoth(cmd.Context(), c); err != nil {
					return fmt.Errorf("%s: %w", args[0], err)
				}
			}

			if global.json {
				return printJSON(cmd.OutOrStdout(), candidate)
			}

			return printFitness(cmd.OutOrStdout(), original, candidate, len(args) == 1)
		},
	}
	data.flags(cmd)
	cmd.AddCommand(newFitnessServeCommand())
	return cmd
}

func newFitnessServeCommand() *cobra.Command {
	var data fitnessData
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Score candidates from standard input: one JSON line in, one out",
		Long: `Reads one candidate per line from standard input and answers each, in order, with one
line: the figures on the train half, the findings of the scanner, and for every query
whose best tool is not first, which tools rank before it and for which words. An answer
never contains the held-out half. A line that cannot be scored is answered with "error",
and the command continues until the input ends. To keep all processors busy, send several
lines before reading. docs/how-to/optimise-descriptions.md describes the formats.`,
		Args: arguments.None,
		RunE: func(cmd *cobra.Command, _ []string) error {
			e, err := data.evaluator()
			if err != nil {
				return err
			}

			fmt.Fprintf(cmd.ErrOrStderr(), "scoring on %d queries, %d held out\n", e.Train(), e.HeldOut())
			return e.Serve(cmd.Context(), cmd.InOrStdin(), cmd.OutOrStdout())
		},
	}
	data.flags(cmd)
	return cmd
}

// fitnessData selects the data that candidates are scored on.
type fitnessData struct {
	corpus, golden, server string
	opts                   fitness.Options
}

func (d *fitnessData) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&d.corpus, "corpus", "datasets/corpus_v2.json",
		"the tools: a corpus, or the answer of a server to tools/list")
	f.StringVar(&d.server, "server", "", serverHelp)
	f.StringVar(&d.golden, "golden", "datasets/golden_v2.json", "the labelled queries for the tools")
	f.Uint64Var(&d.opts.Seed, "seed", 1, "the seed for splitting the queries")
	f.Float64Var(&d.opts.Share, "train", 0.6, "the train half's share of the queries")
	f.StringVar(&d.opts.Metric, "metric", "recall_at_5", "the metric of the fitness: "+
		strings.Join(contracts.MetricNames, ", "))
}

func (d *fitnessData) evaluator() (*fitness.Evaluator, error) {
	golden, err := contracts.Read[contracts.GoldenSet](d.golden)
	if err != nil {
		return nil, ofFlag("golden", err)
	}

	corpus, listed, err := readTools(d.corpus, d.server)
	if err != nil {
		return nil, ofFlag("corpus", err)
	}

	if listed {
		// The labels say whether the two belong together.
		for _, q := range golden.Queries {
			for _, l := range q.Labels {
				if !slices.ContainsFunc(corpus.Tools, func(t contracts.Tool) bool { return t.ToolID == l.ToolID }) {
					return nil, fmt.Errorf("%s: query %s has a label for %s, which is not in %s; give the tools "+
						"that the queries are labelled for, and the name of their server with --server", d.golden, q.ID,
						l.ToolID, d.corpus)
				}
			}
		}

		corpus.Version = golden.CorpusVersion
	}

	e, err := fitness.New(corpus, golden, d.opts)
	if err != nil {
		return nil, fmt.Errorf("%s and %s: %w", d.corpus, d.golden, err)
	}

	return e, nil
}

func printFitness(w io.Writer, original, candidate contracts.Fitness, compared bool) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	head := []string{"", fmt.Sprintf("train (%d)", original.Train.Queries), "95% interval", "before",
		fmt.Sprintf("held out (%d)", original.HeldOut.Queries), "95% interval", "before"}
	if !compared {
		head = slices.DeleteFunc(head, func(h string) bool { return h == "before" })
	}

	fmt.Fprintln(t, strings.Join(head, "\t")+"\t")
	for _, m := range metrics.Ranking() {
		if m.Shown&metrics.InTables == 0 {
			continue
		}

		row := []string{m.Name}
		for _, half := range [][2]*contracts.SplitMetrics{{candidate.Train, original.Train},
			{candidate.HeldOut, original.HeldOut}} {
			row = append(row, fmt.Sprintf("%.4f", half[0].Metrics[m.Name]), intervalOf(half[0], m.Name))
			if compared {
				row = append(row, fmt.Sprintf("%.4f", half[1].Metrics[m.Name]))
			}
		}

		fmt.Fprintln(t, strings.Join(row, "\t")+"\t")
	}

	if err := t.Flush(); err != nil {
		return err
	}

	fmt.Fprintf(w, "\nFor %d train queries the best tool is not first.\n", len(candidate.Feedback))
	if candidate.Feasible {
		fmt.Fprintln(w, "feasible: the scanner reports nothing new")
		return nil
	}

	fmt.Fprintln(w, "not feasible: the scanner reports")
	for _, f := range candidate.Findings {
		fmt.Fprintf(w, "  %s: %s (%s): %s\n", f.ToolID, f.Severity, strings.Join(f.Signals, ", "), f.Evidence)
	}

	return nil
}

// intervalOf formats the 95% interval of a metric.
func intervalOf(s *contracts.SplitMetrics, metric string) string {
	for _, i := range s.Intervals {
		if i.Metric == metric {
			return fmt.Sprintf("%.4f to %.4f", i.Low, i.High)
		}
	}
	return ""
}
