package scoresecurity

import (
	"errors"
	"time"

	"github.com/spf13/cobra"
)

// Command is "touchstone stage score-security".
func Command() *cobra.Command {
	var opts Options
	cmd := &cobra.Command{
		Use:   "score-security --security FILE --detector NAME --run N --out FILE [--adapted DIR | -- COMMAND...]",
		Short: "Score one detector on the security corpus",
		Long: `Shows every entry of the security corpus to one detector and writes what it
found, missed and flagged wrongly. The order of the entries is decided by
--run. A detector is a process that answers each line of JSON with one line of
JSON, see docs/detectors.md; without a command after -- it is one of our own
("touchstone detector NAME").

An entry on which the detector crashes, hangs or breaks the protocol is
recorded as errored and the detector is started again for the rest. More than
half errored fails the stage, and so do five in a row without an answer.`,
		Args: AfterDash,
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.Argv, opts.Log = args, cmd.ErrOrStderr()
			return Run(cmd.Context(), opts)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&opts.Security, "security", "", "the security corpus")
	flags.StringVar(&opts.Detector, "detector", "", "name of the detector")
	flags.IntVar(&opts.Run, "run", 0, "number of this run; the seed of the order of entries")
	flags.StringVar(&opts.Out, "out", "", "where the report goes")
	DetectorFlags(cmd, &opts.Adapted, &opts.EntryTimeout)
	for _, name := range []string{"security", "detector", "run", "out"} {
		cmd.MarkFlagRequired(name)
	}
	return cmd
}

// AfterDash lets arguments stand after -- only, where they are the command of a
// detector of somebody else.
func AfterDash(cmd *cobra.Command, args []string) error {
	if len(args) > 0 && cmd.ArgsLenAtDash() != 0 {
		return errors.New("a detector's command goes after --")
	}
	return nil
}

// DetectorFlags declares the flags of every stage that shows entries to detectors.
func DetectorFlags(cmd *cobra.Command, adapted *string, entryTimeout *time.Duration) {
	flags := cmd.Flags()
	flags.StringVar(adapted, "adapted", "", "take the detector from this directory, which build-proxy wrote: one that the proxy's adapter describes")
	flags.DurationVar(entryTimeout, "entry-timeout", DefaultEntryTimeout, "how long the detector may take for one entry")
}
