package gate

import (
	"github.com/spf13/cobra"

	"github.com/touchstone-eval/touchstone/internal/base/arguments"
)

// Command is "touchstone stage gate".
func Command() *cobra.Command {
	var opts Options
	cmd := &cobra.Command{
		Use:   "gate --aggregate FILE [--baseline FILE] [--min-overlap SHARE] --out FILE",
		Short: "Judge the figures by the baseline's thresholds",
		Long: `Holds the aggregate against the thresholds of the baseline and writes the
verdict: every check with its value and bound, and every query and entry that
is not as the baseline has it.

A verdict is data: the exit code is 0 whether the checks pass or fail. It is 1
when there is nothing to judge, such as a security corpus without hard negatives.

Without --baseline the verdict is that there is none yet. With a baseline that
was made on other data, ranking metrics are compared over the queries that are
the same. If fewer than --min-overlap of the queries or of the entries of the
security corpus are the same, the verdict is that there is none, with the reason.`,
		Args: arguments.None,
		RunE: func(cmd *cobra.Command, _ []string) error {
			opts.Log = cmd.OutOrStdout()
			return Run(cmd.Context(), opts)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&opts.Aggregate, "aggregate", "", "the output of the aggregate stage")
	flags.StringVar(&opts.Baseline, "baseline", "", "the baseline with its thresholds (default: none yet)")
	flags.Float64Var(&opts.MinOverlap, "min-overlap", DefaultMinOverlap,
		"the smallest share, from 0 to 1, of the data that must be the same as those of the baseline")
	flags.StringVar(&opts.Out, "out", "", "the file to write")
	for _, name := range []string{"aggregate", "out"} {
		cmd.MarkFlagRequired(name)
	}

	return cmd
}
