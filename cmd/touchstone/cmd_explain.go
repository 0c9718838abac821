package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/touchstone-eval/touchstone/internal/base/arguments"
	"github.com/touchstone-eval/touchstone/internal/base/safetext"
	"github.com/touchstone-eval/touchstone/internal/engine"
	"github.com/touchstone-eval/touchstone/internal/engine/progress"
)

// explainJSON is the output of explain --json.
type explainJSON struct {
	Stages []engine.Explanation `json:"stages"`
}

func newExplainCommand(flags *globalFlags) *cobra.Command {
	return &cobra.Command{
		Use:   "explain STAGE|QUERY|ENTRY",
		Short: "Explain why a stage is a cache hit or miss, or show the result of a query or a security entry",
		Long: `STAGE is the name of a stage, or of one instance such as 'score-retrieval[run=1]'. explain
prints why its result is a cache hit or a miss, down to the changed entries of a dataset. Of a
stage that waits, it prints why others have to run first, and what else changed.

QUERY is the id of a query in the golden set. explain prints its ranked list from the last
report, its right tools, and the change since the baseline.

ENTRY is the id of an entry in the security corpus. explain prints the verdict of each
detector from the last report, the evidence, and the change since the baseline.`,
		Args: arguments.Exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := openSession(cmd.Context(), flags, cmd.ErrOrStderr())
			if err != nil {
				return err
			}

			defer s.close()
			which, err := engine.Find(s.plan, args[0])
			if err != nil {
				m, unread := s.inLastReport(args[0])
				switch {
				case m == nil && unread != nil:
					return fmt.Errorf("%w; for a query or an entry, run %s gate first", err, toolName)
				case m == nil:
					return fmt.Errorf("%w; no query or entry of the last report has this id either", err)
				case flags.json:
					return printJSON(cmd.OutOrStdout(), m)
				}

				return m.print(cmd.OutOrStdout())
			}

			explanations, err := s.engine.Explain(cmd.Context(), s.plan, which)
			if err != nil {
				return err
			}

			if flags.json {
				return printJSON(cmd.OutOrStdout(), explainJSON{explanations})
			}

			for _, x := range explanations {
				printExplanation(cmd.OutOrStdout(), x)
			}

			return nil
		},
	}
}

func printExplanation(w io.Writer, x engine.Explanation) {
	fmt.Fprintf(w, "%s: %s\n", instanceName(x.Stage, x.Instance), x.Status)
	if x.Recorded != nil {
		fmt.Fprintf(w, "  recorded %s by the %s executor, took %s\n", x.Recorded.Started.Format(time.DateTime),
			safetext.Visible(x.Recorded.Executor), progress.Took(time.Duration(x.Recorded.DurationMS)*time.Millisecond))
		if o := x.Recorded.Origin; o != nil {
			fmt.Fprintf(w, "  made elsewhere: %s\n", o)
		}
	}

	if x.Recorded != nil && len(x.Recorded.Isolation) > 0 {
		fmt.Fprintf(w, "  isolation: %s\n", strings.Join(x.Recorded.Isolation, ", "))
	}

	for _, reason := range x.Reasons {
		isChange := func(c engine.Change) bool { return c.String() == reason }
		if len(x.WaitsFor) == 0 && (x.NotInHistory || !slices.ContainsFunc(x.Changes, isChange)) {
			fmt.Fprintf(w, "  %s\n", safetext.Visible(reason))
		}
	}

	printAwaited(w, x)
	switch {
	case x.WaitsFor != nil && x.Compared != nil && len(x.Changes) == 0:
		fmt.Fprintf(w, "  everything else is as in the run of %s\n", x.Compared.Started.Format(time.DateTime))
	case x.NotInHistory && x.Recorded != nil && x.Recorded.Origin != nil:
	case x.NotInHistory && x.Recorded != nil:
		fmt.Fprintln(w, "  the history of this checkout does not contain that run: the result is from another "+
			"checkout on this machine, or too old")
	case x.Recorded != nil && x.Compared != nil && !x.ComparedNotInHistory:
		fmt.Fprintf(w, "  compared with the run before it, of %s:\n", x.Compared.Started.Format(time.DateTime))
	case x.ComparedNotInHistory:
		fmt.Fprintf(w, "  compared with the run of %s, the most similar result of this stage in the cache, from "+
			"another checkout or an import:\n",
			x.Compared.Started.Format(time.DateTime))
	case x.Compared != nil:
		fmt.Fprintf(w, "  compared with the run of %s:\n", x.Compared.Started.Format(time.DateTime))
	}

	for _, c := range x.Changes {
		// It may quote a record that another machine wrote.
		fmt.Fprintf(w, "  %s\n", safetext.Visible(c.String()))
		for _, d := range c.Details {
			fmt.Fprintf(w, "    %s\n", safetext.Visible(d))
		}
	}

	if x.NotCovered != "" {
		fmt.Fprintf(w, "  the key does not cover %s\n", x.NotCovered)
	}

	if x.Key != "" {
		fmt.Fprintf(w, "  key %s over:\n", x.Key)
		for _, c := range x.Components {
			fmt.Fprintf(w, "    %-24s %.12s  %s\n", c.Name, c.Digest, c.Value)
		}
		if n := len(x.Reads); n > 0 {
			fmt.Fprintf(w, "    and %d other files that its command reads (--json lists them)\n", n)
		}
	}
}
