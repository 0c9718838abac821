package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"

	"github.com/touchstone-eval/touchstone/cache"
	"github.com/touchstone-eval/touchstone/internal/base/arguments"
	"github.com/touchstone-eval/touchstone/internal/base/safetext"
	"github.com/touchstone-eval/touchstone/internal/engine"
	"github.com/touchstone-eval/touchstone/internal/engine/progress"
)

// planJSON is the output of plan --json. Hits, Runs and Waits count the instances whose results
// are cached, that have to run, and that depend on these. Elsewhere counts the hits whose
// results this machine did not make.
type planJSON struct {
	Hits      int         `json:"hits"`
	Elsewhere int         `json:"made_elsewhere"`
	Runs      int         `json:"runs"`
	Waits     int         `json:"waits"`
	Stages    []planStage `json:"stages"`
	// Warnings say what the keys do not cover.
	Warnings []string `json:"warnings"`
}

// planStage is an instance. Changes are relative to its previous run in this checkout, or, if
// Elsewhere is set, to the most similar result in the cache.
type planStage struct {
	Stage     string          `json:"stage"`
	Instance  string          `json:"instance"`
	Status    string          `json:"status"`
	Miss      cache.MissKind  `json:"miss,omitempty"`
	Key       string          `json:"key,omitempty"`
	Reasons   []string        `json:"reasons"`
	Changes   []engine.Change `json:"changes"`
	Elsewhere bool            `json:"elsewhere"`
	// Origin is nil for a result that this machine made.
	Origin *cache.Origin `json:"origin,omitempty"`
}

func newPlanCommand(flags *globalFlags) *cobra.Command {
	return &cobra.Command{
		Use:   "plan",
		Short: "Show which stages would run, and why",
		Long: `Runs nothing, and prints the state of every stage. A stage with several instances, such as
score-retrieval[run=1], has a line for each:

  HIT      its result is in the cache, so it need not run
  MISS     it has to run; the reason names what changed, down to the entries of a dataset
  WAITS    it depends on an instance that has to run; if that writes the same output as
           before, this one becomes a hit
  OFF      its condition is false
  SKIPPED  it is a manual stage, which runs only if run --only names it`,
		Args: arguments.None,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := openSession(cmd.Context(), flags, cmd.ErrOrStderr())
			if err != nil {
				return err
			}

			defer s.close()
			outcomes, err := s.engine.Evaluate(cmd.Context(), s.plan)
			if err != nil {
				return err
			}

			if flags.json {
				return printJSON(cmd.OutOrStdout(), planFacts(outcomes, s.engine.KeyWarnings(outcomes)))
			}

			for _, w := range s.engine.KeyWarnings(outcomes) {
				fmt.Fprintln(cmd.ErrOrStderr(), "warning:", w)
			}

			return printPlan(cmd.OutOrStdout(), outcomes)
		},
	}
}

func planFacts(outcomes []*engine.Outcome, warnings []string) planJSON {
	p := planJSON{Stages: make([]planStage, 0, len(outcomes)), Warnings: warnings}
	for _, o := range outcomes {
		st := planStage{
			Stage: o.Instance.Stage, Instance: o.Instance.Name(), Status: string(o.State), Miss: o.Miss,
			Reasons: o.Reasons, Changes: o.Changes, Elsewhere: o.NotInHistory, Origin: o.Origin,
		}
		if st.Changes == nil {
			st.Changes = []engine.Change{}
		}

		switch o.State {
		case engine.Hit:
			p.Hits++
			if o.Origin != nil {
				p.Elsewhere++
			}
		case engine.Miss:
			p.Runs++
		case engine.Waits:
			p.Waits++
		}

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
	for _, o := range outcomes {
		why := whyNotHit(o.Reasons, o.Changes, o.NotInHistory)
		if o.State == engine.Hit {
			if why = "took " + progress.Took(o.Duration); o.Origin != nil {
				why += "; " + o.Origin.String()
			}
		}

		// It may quote a record that another machine wrote.
		fmt.Fprintf(t, "%s\t%s\t%s\n", o.State, o.Instance, safetext.Visible(why))
	}

	p := planFacts(outcomes, nil)
	fmt.Fprintf(t, "\n%s", english.Plural(p.Hits, "hit", ""))
	if p.Elsewhere > 0 {
		fmt.Fprintf(t, " (%d made elsewhere)", p.Elsewhere)
	}

	fmt.Fprintf(t, ", %s", english.Plural(p.Runs, "has to run", "have to run"))
	if p.Waits > 0 {
		fmt.Fprintf(t, ", %s", english.Plural(p.Waits, "waits for results and may still be a hit",
			"depend on earlier stages"))
	}

	fmt.Fprintln(t)
	return t.Flush()
}

// whyNotHit says in a line why an instance has to run. elsewhere is whether the changes are relative to a result that
// is not in the history of this checkout.
func whyNotHit(reasons []string, changes []engine.Change, elsewhere bool) string {
	why := strings.Join(reasons, "; ")
	switch {
	case len(changes) == 0:
		return why
	case elsewhere:
		return why + "; unlike the most similar result in the cache: " + changed(changes)
	case !slices.Contains(reasons, changes[0].String()):
		return why + "; " + changed(changes)
	}
	return changed(changes)
}

// shownDetails is the number of changed entries that plan names for each input.
const shownDetails = 3

// changed formats changes with their first details.
func changed(changes []engine.Change) string {
	texts := make([]string, len(changes))
	for i, c := range changes {
		texts[i] = c.String()
		if len(c.Details) == 0 {
			continue
		}

		shown := c.Details[:min(len(c.Details), shownDetails)]
		texts[i] += ": " + strings.Join(shown, ", ")
		if more := len(c.Details) - len(shown); more > 0 {
			texts[i] += ", and more; " + toolName + " explain lists them"
		}
	}

	return strings.Join(texts, "; ")
}
