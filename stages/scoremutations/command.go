package scoremutations

import (
	"github.com/spf13/cobra"

	"github.com/touchstone-eval/touchstone/stages/scoresecurity"
)

// Command is "touchstone stage score-mutations".
func Command() *cobra.Command {
	var opts Options
	cmd := &cobra.Command{
		Use:   "score-mutations --security FILE [--detector NAME]... [--seed N] [--held-out] --out FILE [--adapted DIR | -- COMMAND...]",
		Short: "Score detectors on rewritten entries of the security corpus",
		Long: `Rewrites the attacks and the innocents of the security corpus by families of
operators (invisible and look-alike characters, encodings, ciphers, spelling,
placement, splitting, markup, ANSI escapes, languages, paraphrase), shows each
variant to each detector and writes how many of the attacks are still caught
and how many innocents are flagged: docs/scanner/generalisation.md. Without a
detector the report holds no figures.

--held-out adds the operators that nobody developed a detector with. Only a
program that was built with "-tags heldout" has them.

A command after -- is a detector of somebody else and --adapted one that the
proxy's adapter describes, as for score-security; they go with one --detector.`,
		Args: scoresecurity.AfterDash,
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.Argv, opts.Log = args, cmd.ErrOrStderr()
			return Run(cmd.Context(), opts)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&opts.Security, "security", "", "the security corpus")
	flags.StringArrayVar(&opts.Detectors, "detector", nil, "name of a detector; may be repeated")
	flags.IntVar(&opts.Seed, "seed", 1, "what the operators draw from")
	flags.BoolVar(&opts.HeldOut, "held-out", false, "use the held-out operators too; needs a build with -tags heldout")
	flags.StringVar(&opts.Out, "out", "", "where the report goes")
	scoresecurity.DetectorFlags(cmd, &opts.Adapted, &opts.EntryTimeout)
	for _, name := range []string{"security", "out"} {
		cmd.MarkFlagRequired(name)
	}
	return cmd
}
