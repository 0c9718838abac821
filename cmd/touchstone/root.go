package main

import (
	"github.com/spf13/cobra"

	"github.com/touchstone-eval/touchstone/internal/scan/command"
)

// defaultFile is the pipeline that is read without --file.
const defaultFile = "pipeline.hcl"

// globalFlags are the flags of every command that reads the pipeline.
type globalFlags struct {
	file     string
	vars     []string
	varFiles []string
	cacheDir string
	json     bool
	executor executorFlags
	remote   remoteFlags
}

func newRootCommand() *cobra.Command {
	flags := &globalFlags{}
	root := &cobra.Command{
		Use:   toolName,
		Short: "Evaluate the tool search and the tool scanning of MCP proxies",
		Long: `Touchstone runs the evaluation declared in pipeline.hcl: it validates the datasets, starts
the proxy under test with a frozen set of tools, scores its search and its scanner,
compares the figures with a committed baseline, and reports whether the gate passed.
Unchanged stages are not computed again.

` + exitCodesHelp,
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	p := root.PersistentFlags()
	p.StringVarP(&flags.file, "file", "f", defaultFile, "the pipeline, as a directory or a file; pipeline.hcl stands for all pipeline files in its directory")
	p.StringArrayVar(&flags.vars, "var", nil, "set a variable, name=value (repeatable; overrides --var-file and TOUCHSTONE_VAR_name)")
	p.StringArrayVar(&flags.varFiles, "var-file", nil, "read variables from an HCL or JSON file (repeatable)")
	p.StringVar(&flags.cacheDir, "cache-dir", "", "the cache directory (default: $TOUCHSTONE_CACHE, or else touchstone in the user's cache directory)")
	p.BoolVar(&flags.json, "json", false, "print results as JSON, in the documented format")
	flags.executor.add(p)
	flags.remote.add(p)
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
	addGroup(root, "evaluate", "Evaluate:", newGateCommand(flags), newRunCommand(flags), newWatchCommand(flags),
		newCompareCommand(flags), newBisectCommand(flags), newFitnessCommand(flags))
	addGroup(root, "inspect", "Inspect plans and runs:", newPlanCommand(flags), newExplainCommand(flags),
		newGraphCommand(flags), newLogsCommand(flags), newReportCommand(flags), newCostCommand())
	addGroup(root, "data", "Manage data and baselines:", newBaselineCommand(flags), newDatasetsCommand(flags),
		newCorpusCommand(flags), newGoldenCommand(flags), newLabelCommand(), newRefreshCommand(flags), newTrecCommand(flags))
	addGroup(root, "tools", "Standalone tools:", command.New(toolName+" scan", &flags.json), newEvalCommand(flags), newServeCommand(), newMCPCommand(), newDetectorCommand(), newProxyCommand(), newReplayCommand(), newStageCommand())
	addGroup(root, "setup", "Set up and maintain:", newInitCommand(flags), newDoctorCommand(flags), newValidateCommand(flags),
		newFmtCommand(flags), newCacheCommand(flags), newModelsCommand(flags), newManCommand(), versionCommand)
	root.AddCommand(newInsideCommand(), newOnWorkerCommand())
	root.SetHelpCommandGroupID("setup")
	root.SetCompletionCommandGroupID("setup")
	completeNames(root, flags)
	return root
}

// addGroup adds commands under one heading of --help.
func addGroup(root *cobra.Command, id, title string, verbs ...*cobra.Command) {
	root.AddGroup(&cobra.Group{ID: id, Title: title})
	for _, verb := range verbs {
		verb.GroupID = id
	}
	root.AddCommand(verbs...)
}
