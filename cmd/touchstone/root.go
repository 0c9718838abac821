package main

import (
	"github.com/spf13/cobra"

	"github.com/touchstone-eval/touchstone/internal/base/arguments"
	"github.com/touchstone-eval/touchstone/pipeline"
)

// defaultFile is the pipeline that is read without --file.
const defaultFile = "pipeline.hcl"

// globalFlags are the flags that verbs share.
type globalFlags struct {
	file     string
	vars     []string
	varFiles []string
	streams  *pipeline.Streams
	cacheDir string
	json     bool
	executor executorFlags
	remote   remoteFlags
}

func newRootCommand() *cobra.Command {
	flags := &globalFlags{streams: &pipeline.Streams{}}
	root := &cobra.Command{
		Use:   toolName,
		Short: "Evaluate the tool search and the tool scanning of MCP proxies",
		Long: `Touchstone evaluates the tool search and the tool scanning of MCP proxies, as pipeline.hcl
declares it. Stages that did not change are not computed again.`,
		Args:          arguments.None,
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.PersistentFlags().BoolVar(&flags.json, "json", false, "print results as JSON, in the documented format")
	// The flag of the library fills in a template, so the digest of the source would be
	// computed for every verb.
	versionCommand := newVersionCommand(flags)
	showVersion := root.Flags().Bool("version", false, "print the version, like the verb version")
	root.RunE = func(cmd *cobra.Command, args []string) error {
		if *showVersion {
			return versionCommand.RunE(cmd, args)
		}

		return cmd.Help()
	}
	compare, bisect, doctor := newCompareCommand(flags), newBisectCommand(flags), newDoctorCommand(flags)
	flags.on(sessionFlags, compare, bisect, doctor)
	validate, format := newValidateCommand(flags), newFmtCommand(flags)
	flags.on(pipelineFlags, validate)
	flags.on(fileFlag, format)
	groups := []verbGroup{
		{"Run the pipeline:", flags.on(sessionFlags, newGateCommand(flags), newRunCommand(flags), newPlanCommand(flags),
			newExplainCommand(flags), newLogsCommand(flags), newGraphCommand(flags), newWatchCommand(flags))},
		{"Read and compare results:",
			[]*cobra.Command{newReportCommand(flags), compare, bisect, newBaselineCommand(flags)}},
		{"Evaluate without a pipeline:",
			[]*cobra.Command{newScanCommand(flags), newEvalCommand(flags), newFitnessCommand(flags)}},
		{"Manage data:", []*cobra.Command{newDataCommand(flags)}},
		{"Set up and maintain:", []*cobra.Command{newInitCommand(), doctor, validate, format, newCacheCommand(flags),
			newModelsCommand(flags), versionCommand, newManCommand(), newCompletionCommand()}},
	}
	for _, group := range groups {
		root.AddCommand(group.verbs...)
	}

	// The library would add one verb a shell.
	root.CompletionOptions.DisableDefaultCmd = true
	for _, verb := range []*cobra.Command{newStageCommand(), newProxyCommand(), newReplayCommand(),
		newDetectorCommand()} {
		verb.Hidden = true
		root.AddCommand(verb)
	}

	root.AddCommand(newCostCommand(), newInsideCommand(), newOnWorkerCommand())
	addHelp(root, groups)
	completeNames(root, flags)
	return root
}
