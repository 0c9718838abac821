package scoresecurity

import (
	"errors"
	"time"

	"github.com/spf13/cobra"
)

// Command returns the command "touchstone stage score-security".
func Command() *cobra.Command {
	var opts Options
	cmd := &cobra.Command{
		Use:   "score-security --security FILE --detector NAME --run N --out FILE [--adapted DIR | -- COMMAND...]",
		Short: "Score one detector on the security corpus",
		Long: `Sends every entry of the security corpus to one detector and writes what it
detected, missed and flagged wrongly. --run determines the order of the entries.
A detector is a process that answers each line of JSON with one line of JSON
(see docs/reference/detectors.md). Without a command after --, the detector is a built-in
one ("touchstone detector NAME"), which judges the same requests inside the stage.

An entry on which the detector crashes, hangs or violates the protocol is
recorded as errored, and the detector is restarted for the remaining entries.
The stage fails if more than half of the entries are errored, or if five in a
row are not answered in time.`,
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
	flags.StringVar(&opts.Out, "out", "", "the report file to write")
	DetectorFlags(cmd, &opts.Adapted, &opts.EntryTimeout)
	for _, name := range []string{"security", "detector", "run", "out"} {
		cmd.MarkFlagRequired(name)
	}

	return cmd
}

// AfterDash accepts arguments only after --, where they are the command of an
// external detector.
func AfterDash(cmd *cobra.Command, args []string) error {
	if len(args) > 0 && cmd.ArgsLenAtDash() != 0 {
		return errors.New("the command of a detector must follow --")
	}
	return nil
}

// DetectorFlags declares the flags of every stage that runs detectors.
func DetectorFlags(cmd *cobra.Command, adapted *string, entryTimeout *time.Duration) {
	flags := cmd.Flags()
	flags.StringVar(adapted, "adapted", "", "the directory with the detectors of the proxy's adapter, written by "+
		"build-proxy; the detector is one of them")
	flags.DurationVar(entryTimeout, "entry-timeout", DefaultEntryTimeout,
		"how long the detector may take for one entry")
}
