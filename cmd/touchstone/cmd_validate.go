package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/touchstone-eval/touchstone/internal/engine"
)

// validateJSON is the shape of validate --json.
type validateJSON struct {
	Pipeline  string   `json:"pipeline"`
	Stages    []string `json:"stages"`
	Instances int      `json:"instances"`
}

func newValidateCommand(flags *globalFlags) *cobra.Command {
	return &cobra.Command{
		Use:   "validate",
		Short: "Check the pipeline and report every problem in it; runs nothing",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			plan, err := loadPlan(flags, cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			names := engine.StageNames(plan)
			if flags.json {
				return printJSON(cmd.OutOrStdout(), validateJSON{plan.Name, names, len(plan.Instances)})
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s is valid: %d stages, %d instances\n", flags.file, len(names), len(plan.Instances))
			return nil
		},
	}
}
