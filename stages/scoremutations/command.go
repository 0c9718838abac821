package scoremutations

import (
	"github.com/spf13/cobra"

	"github.com/touchstone-eval/touchstone/stages/scoresecurity"
)

// Command returns the command "touchstone stage score-mutations".
func Command() *cobra.Command {
	var opts Options
	cmd := &cobra.Command{
		Use: "score-mutations --security FILE [--detector NAME]... [--seed N] [--held-out] --out FILE [--adapted " +
			"DIR | -- COMMAND...]",
		Short: "Score detectors on rewritten entries of the security corpus",
		Long: `Rewrites the attacks and the benign entries of the security corpus by families
of operators (invisible and look-alike characters, encodings, ciphers, spelling,
placement, splitting, markup, ANSI escapes, languages, paraphrase), sends each
variant to each detector, and writes how many attacks are still detected and how
many benign entries are flagged (see docs/scanner/generalisation.md). Without a
detector the report contains no figures.

--held-out adds operators that were not used to develop any detector. Only a
program built with "-tags heldout" contains them.

The command after -- is an external detector, and --adapted selects a detector
of the proxy's adapter, as in score-security. Both require exactly one
--detector.`,
		Args: scoresecurity.AfterDash,
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.Argv, opts.Log = args, cmd.ErrOrStderr()
			return Run(cmd.Context(), opts)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&opts.Security, "security", "", "the security corpus")
	flags.StringArrayVar(&opts.Detectors, "detector", nil, "name of a detector (repeatable)")
	flags.IntVar(&opts.Seed, "seed", 1, "the seed of the operators' random choices")
	flags.BoolVar(&opts.HeldOut, "held-out", false,
		"also use the held-out operators; requires a build with -tags heldout")
	flags.StringVar(&opts.Out, "out", "", "the report file to write")
	scoresecurity.DetectorFlags(cmd, &opts.Adapted, &opts.EntryTimeout)
	for _, name := range []string{"security", "out"} {
		cmd.MarkFlagRequired(name)
	}

	return cmd
}
