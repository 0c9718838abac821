package main

import (
	"fmt"
	"strings"

	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"

	"github.com/touchstone-eval/touchstone/internal/base/arguments"
	"github.com/touchstone-eval/touchstone/internal/engine"
)

// validateJSON is the output of validate --json.
type validateJSON struct {
	Pipeline string `json:"pipeline"`
	// Files are the files that were read. Skipped are other files in the same
	// directory.
	Files     []string      `json:"files"`
	Skipped   []skippedFile `json:"skipped"`
	Stages    []string      `json:"stages"`
	Instances int           `json:"instances"`
}

type skippedFile struct {
	File   string `json:"file"`
	Reason string `json:"reason"`
}

func newValidateCommand(flags *globalFlags) *cobra.Command {
	return &cobra.Command{
		Use:   "validate",
		Short: "Check the pipeline and report every problem; run nothing",
		Args:  arguments.None,
		RunE: func(cmd *cobra.Command, _ []string) error {
			plan, err := loadPlan(flags, cmd.ErrOrStderr())
			if err != nil {
				return err
			}

			names := engine.StageNames(plan)
			if flags.json {
				facts := validateJSON{Pipeline: plan.Name, Files: plan.Files, Skipped: []skippedFile{}, Stages: names,
					Instances: len(plan.Instances)}
				for _, s := range plan.Skipped {
					facts.Skipped = append(facts.Skipped, skippedFile{s.Path, s.Why})
				}

				return printJSON(cmd.OutOrStdout(), facts)
			}

			for _, s := range plan.Skipped {
				fmt.Fprintf(cmd.ErrOrStderr(), "note: %s is not part of the pipeline: %s\n", s.Path, s.Why)
			}

			are := "is"
			if len(plan.Files) > 1 {
				are = "are"
			}

			fmt.Fprintf(cmd.OutOrStdout(), "%s %s valid: %s, %s\n", strings.Join(plan.Files, ", "), are,
				english.Plural(len(names), "stage", ""), english.Plural(len(plan.Instances), "instance", ""))
			return nil
		},
	}
}
