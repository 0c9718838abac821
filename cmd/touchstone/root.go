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
		Long: `Touchstone evaluates the tool search and the tool scanning of MCP proxies, as pipeline.hcl
declares it. Stages that did not change are not computed again.`,
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
	groups := []verbGroup{
		{"Run the pipeline:", []*cobra.Command{newGateCommand(flags), newRunCommand(flags), newPlanCommand(flags),
			newExplainCommand(flags), newLogsCommand(flags), newGraphCommand(flags), newWatchCommand(flags)}},
		{"Read and compare results:", []*cobra.Command{newReportCommand(flags), newCompareCommand(flags),
			newBisectCommand(flags), newBaselineCommand(flags)}},
		{"Evaluate without a pipeline:", []*cobra.Command{command.New(toolName+" scan", &flags.json), newEvalCommand(flags),
			newFitnessCommand(flags)}},
		{"Manage data:", []*cobra.Command{newDataCommand(flags)}},
		{"Set up and maintain:", []*cobra.Command{newInitCommand(flags), newDoctorCommand(flags), newValidateCommand(flags),
			newFmtCommand(flags), newCacheCommand(flags), newModelsCommand(flags), versionCommand, newManCommand()}},
	}
	for _, group := range groups {
		root.AddCommand(group.verbs...)
	}
	root.InitDefaultCompletionCmd()
	if completion, _, err := root.Find([]string{"completion"}); err == nil {
		setup := &groups[len(groups)-1]
		setup.verbs = append(setup.verbs, completion)
	}
	for _, verb := range []*cobra.Command{newStageCommand(), newProxyCommand(), newReplayCommand(), newDetectorCommand()} {
		verb.Hidden = true
		root.AddCommand(verb)
	}
	root.AddCommand(newCostCommand(), newInsideCommand(), newOnWorkerCommand())
	addHelp(root, groups)
	completeNames(root, flags)
	return root
}
