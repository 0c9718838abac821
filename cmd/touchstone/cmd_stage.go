package main

import (
	"github.com/spf13/cobra"

	"github.com/touchstone-eval/touchstone/internal/base/arguments"
	"github.com/touchstone-eval/touchstone/stages/aggregate"
	"github.com/touchstone-eval/touchstone/stages/analyzesimilarity"
	"github.com/touchstone-eval/touchstone/stages/buildproxy"
	"github.com/touchstone-eval/touchstone/stages/downloadtools"
	"github.com/touchstone-eval/touchstone/stages/fetchtools"
	"github.com/touchstone-eval/touchstone/stages/gate"
	"github.com/touchstone-eval/touchstone/stages/refreshcorpus"
	"github.com/touchstone-eval/touchstone/stages/render"
	"github.com/touchstone-eval/touchstone/stages/scoremutations"
	"github.com/touchstone-eval/touchstone/stages/scoreretrieval"
	"github.com/touchstone-eval/touchstone/stages/scoresecurity"
	"github.com/touchstone-eval/touchstone/stages/scoreselection"
	"github.com/touchstone-eval/touchstone/stages/snapshotindex"
	"github.com/touchstone-eval/touchstone/stages/validatedatasets"
)

// newStageCommand returns the command that runs one stage by hand: it reads and writes files
// and does not use the cache.
func newStageCommand() *cobra.Command {
	buildproxy.EmbeddedIdentity = embeddedProxyIdentity
	cmd := &cobra.Command{
		Use:   "stage",
		Short: "Run one stage of the evaluation by hand, without pipeline or cache",
		Args:  arguments.None,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	for _, stage := range []*cobra.Command{
		validatedatasets.Command(), buildproxy.Command(), snapshotindex.Command(), scoreretrieval.Command(),
		scoresecurity.Command(), scoremutations.Command(), scoreselection.Command(), analyzesimilarity.Command(),
		aggregate.Command(), gate.Command(), render.Command(),
		refreshcorpus.Command(), downloadtools.Command(), fetchtools.Command(),
	} {
		run := stage.RunE
		stage.RunE = func(cmd *cobra.Command, args []string) error { return stageError(run(cmd, args)) }
		cmd.AddCommand(stage)
	}

	return cmd
}
