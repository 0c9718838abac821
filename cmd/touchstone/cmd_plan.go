package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/touchstone-eval/touchstone/internal/engine"
)

// planJSON is the output of plan --json.
type planJSON struct {
	Stages []planStage `json:"stages"`
}

type planStage struct {
	Stage    string   `json:"stage"`
	Instance string   `json:"instance"`
	Status   string   `json:"status"`
	Key      string   `json:"key,omitempty"`
	Reasons  []string `json:"reasons"`
}

func newPlanCommand(flags *globalFlags) *cobra.Command {
	return &cobra.Command{
		Use:   "plan",
		Short: "Show what a run would do: HIT, MISS or OFF for every stage instance, with the reason",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := openSession(flags, cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			defer s.close()
			outcomes, err := s.engine.Evaluate(cmd.Context(), s.plan)
			if err != nil {
				return err
			}
			if flags.json {
				return printJSON(cmd.OutOrStdout(), planFacts(outcomes))
			}
			return printPlan(cmd.OutOrStdout(), outcomes)
		},
	}
}

func planFacts(outcomes []*engine.Outcome) planJSON {
	p := planJSON{Stages: make([]planStage, 0, len(outcomes))}
	for _, o := range outcomes {
		st := planStage{Stage: o.Instance.Stage, Instance: o.Instance.Name(), Status: string(o.State), Reasons: o.Reasons}
		if st.Reasons == nil {
			st.Reasons = []string{}
		}
		if !o.Key.IsZero() {
			st.Key = o.Key.String()
		}
		p.Stages = append(p.Stages, st)
	}
	return p
}

func printPlan(w io.Writer, outcomes []*engine.Outcome) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	hits, due := 0, 0
	for _, o := range outcomes {
		why := strings.Join(o.Reasons, "; ")
		if o.State != engine.Off && o.State != engine.Skipped {
			due++
		}
		if o.State == engine.Hit {
			hits++
			why = "took " + seconds(o.Duration)
		}
		fmt.Fprintf(t, "%s\t%s\t%s\n", o.State, o.Instance, why)
	}
	fmt.Fprintf(t, "\n%d of %d are hits\n", hits, due)
	return t.Flush()
}
