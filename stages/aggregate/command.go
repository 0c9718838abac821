package aggregate

import (
	"github.com/spf13/cobra"

	"github.com/touchstone-eval/touchstone/internal/base/arguments"
)

// Command is "touchstone stage aggregate".
func Command() *cobra.Command {
	var opts Options
	cmd := &cobra.Command{
		Use: "aggregate --validation FILE --retrieval DIR [--security DIR] [--mutations DIR] [--selection DIR] " +
			"[--similarity FILE] [--baseline FILE] --out FILE",
		Short: "Combine all runs, add intervals and compare with the baseline",
		Long: `Reads every report of score-retrieval and score-security and writes one file:
means over the runs with their spread and 95% intervals, each query and entry
over all runs, and, where a baseline on the same data is given, what changed
and whether the change is more than noise. Reports of score-mutations and
analyze-similarity are taken over as they are. Repeats of score-selection are combined
by model. docs/reference/metrics.md has the formulas.`,
		Args: arguments.None,
		RunE: func(cmd *cobra.Command, _ []string) error {
			opts.Log = cmd.OutOrStdout()
			return Run(cmd.Context(), opts)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&opts.Validation, "validation", "", "the report of validate-datasets")
	flags.StringVar(&opts.Retrieval, "retrieval", "", "the directory with the reports of score-retrieval, at any depth")
	flags.StringVar(&opts.Security, "security", "",
		"the directory with the reports of score-security, at any depth; without it, no detector is in the figures")
	flags.StringVar(&opts.Mutations, "mutations", "",
		"the directory with the reports of score-mutations, or one report")
	flags.StringVar(&opts.Selection, "selection", "", "the directory with the reports of score-selection, at any depth")
	flags.StringVar(&opts.Similarity, "similarity", "", "the report of analyze-similarity")
	flags.StringVar(&opts.Baseline, "baseline", "", "the baseline to compare with, if there is one")
	flags.StringVar(&opts.Out, "out", "", "the file to write")
	for _, name := range []string{"validation", "retrieval", "out"} {
		cmd.MarkFlagRequired(name)
	}

	return cmd
}
