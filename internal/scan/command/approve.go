package command

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/touchstone-eval/touchstone/internal/base/safetext"
	"github.com/touchstone-eval/touchstone/internal/scan/report"
)

// newApprove returns the verb that approves single changes in a baseline.
func newApprove(name string) *cobra.Command {
	flags := &flags{}
	var items []string
	var reason, author string
	cmd := &cobra.Command{
		Use:   "approve --baseline FILE --change ITEM --reason TEXT --author NAME [PATH...|-]",
		Short: "Approve single changes since a baseline",
		Long: `Approve single changes: write what has changed into the baseline, with the reason and the
author. All other definitions stay as they were approved. ITEM is a definition as a scan
lists it under "Against the baseline", such as github:create_issue or "github:(prompt) fix",
or one field of it, such as github:create_issue#/description. PATH and the flags for inputs
are those of a scan.`,
		Example: examples(name, `scan approve --baseline approved.json --change "shop:search#/description" --reason "typo" --author ann tools.json`),
		Args:    cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			flags.paths = args
			how := report.Approval{Reason: strings.TrimSpace(reason), Author: strings.TrimSpace(author),
				Date: time.Now().UTC().Format(time.DateOnly)}
			switch {
			case flags.baseline == "":
				return errors.New("--baseline is required: name the file that --pin wrote")
			case len(items) == 0:
				return errors.New("--change is required: name what to approve, as a scan with --baseline lists it")
			case how.Reason == "":
				return errors.New("--reason is required: say why the change is accepted")
			case how.Author == "":
				return errors.New("--author is required: say who accepts the change")
			}

			if err := flags.checkInputs(); err != nil {
				return err
			}

			return approve(cmd, flags, items, how)
		},
	}
	f := cmd.Flags()
	f.StringVar(&flags.baseline, "baseline", "", "the file with what was approved; it is changed")
	f.StringArrayVar(&items, "change", nil, "approve this definition, or this field of it after a # (repeatable)")
	f.StringVar(&reason, "reason", "", "why the change is accepted")
	f.StringVar(&author, "author", "", "who accepts the change")
	flags.addInputs(f)
	return cmd
}

func approve(cmd *cobra.Command, flags *flags, items []string, how report.Approval) error {
	b, err := readBaseline(cmd.Context(), flags.baseline)
	if err != nil {
		return err
	}

	flags.nameFrom(b)
	in, err := flags.read(cmd)
	if err != nil {
		return err
	}

	if err := b.Approve(slices.Concat(in.Tools, in.Others), items, how); err != nil {
		return err
	}

	if err := saveBaseline(flags.baseline, b); err != nil {
		return err
	}

	for _, item := range items {
		fmt.Fprintf(cmd.ErrOrStderr(), "approved %s in %s\n", safetext.Visible(item), flags.baseline)
	}

	return nil
}
