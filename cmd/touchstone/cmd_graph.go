package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/touchstone-eval/touchstone/internal/base/arguments"
	"github.com/touchstone-eval/touchstone/internal/engine"
	"github.com/touchstone-eval/touchstone/internal/engine/graph"
)

func newGraphCommand(flags *globalFlags) *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "graph",
		Short: "Draw the pipeline with cache hits and times, as dot, mermaid or svg",
		Args:  arguments.None,
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

			for _, o := range outcomes {
				if o.State == engine.Miss || o.State == engine.Waits {
					o.Duration = s.engine.Expected(o)
				}
			}

			g := graph.Of(s.plan, outcomes)
			if flags.json {
				return printJSON(cmd.OutOrStdout(), g)
			}

			draw, ok := map[string]func() string{"dot": g.DOT, "mermaid": g.Mermaid, "svg": g.SVG}[format]
			if !ok {
				return fmt.Errorf("unknown --format %q: use dot, mermaid or svg", format)
			}

			fmt.Fprint(cmd.OutOrStdout(), draw())
			return nil
		},
	}
	cmd.Flags().StringVar(&format, "format", "mermaid", "dot, mermaid or svg")
	return cmd
}
