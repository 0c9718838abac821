package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"

	"github.com/touchstone-eval/touchstone/contracts"
	"github.com/touchstone-eval/touchstone/internal/base/arguments"
	"github.com/touchstone-eval/touchstone/stages/gate"
)

func newBaselineAcceptCommand(flags *globalFlags) *cobra.Command {
	var reason string
	rf := &runFlags{}
	cmd := &cobra.Command{
		Use:   "accept QUERY|ENTRY...",
		Short: "Take the new results of single queries or security entries into the baseline",
		Long: `Measures as the gate does, and replaces the results of the named queries and security
entries in the baseline. Everything else stays: the other results, the thresholds and the
data. The means of the metrics and the scores of the detectors are computed again from the
results. The baseline keeps the reason, and touchstone baseline show prints it.

A result can be accepted only on the data of the baseline. To take over all results, or those
on other data, use touchstone baseline update.`,
		Example: `  touchstone baseline accept q2-017 --reason "the new tool answers it as well"`,
		Args:    arguments.AtLeast(1),
		RunE: func(cmd *cobra.Command, ids []string) error {
			if reason = strings.TrimSpace(reason); reason == "" {
				return usageError(cmd, errors.New("give the reason why the new results are right with --reason"))
			}

			m, err := flags.measure(cmd, rf)
			if err != nil {
				return err
			}

			old, err := contracts.Read[contracts.Baseline](m.named)
			if err != nil {
				return fmt.Errorf("%w; results can be accepted into an existing baseline only", err)
			}

			next, err := gate.Accept(old, m.agg, ids, reason)
			if err != nil {
				return err
			}

			changes := gate.BaselineChanges(&old, next)
			if flags.json {
				err = printJSON(cmd.OutOrStdout(), map[string]any{"changes": changes, "file": m.named})
			} else {
				_, err = fmt.Fprintln(cmd.OutOrStdout(), strings.Join(changes, "\n"))
			}

			if err := errors.Join(err, contracts.Write(m.named, next)); err != nil {
				return err
			}

			fmt.Fprintf(cmd.ErrOrStderr(), "accepted %s into %s; review the changes and commit it\n",
				english.Plural(len(ids), "result", ""), m.named)
			return nil
		},
	}
	cmd.Flags().StringVar(&reason, "reason", "", "why the new results are right (required)")
	rf.add(cmd)
	return cmd
}
