package main

import (
	"github.com/spf13/cobra"
)

// defaultFile is the pipeline that is read when --file names none.
const defaultFile = "pipeline.hcl"

// globalFlags are understood by every verb that reads the pipeline.
type globalFlags struct {
	file     string
	vars     []string
	varFiles []string
	cacheDir string
	json     bool
	executor executorFlags
}

func newRootCommand() *cobra.Command {
	flags := &globalFlags{}
	root := &cobra.Command{
		Use:   toolName,
		Short: "Evaluate MCP proxies: tool retrieval and tool scanning, as numbers that a build can fail on",
		Long: `Touchstone runs the evaluation that pipeline.hcl declares: it validates the
datasets, starts the proxy under test over frozen tools, scores its search and
its scanner, sets the figures beside a committed baseline and says whether the
gate passed. Nothing unchanged is computed twice.

` + exitCodesHelp,
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	p := root.PersistentFlags()
	p.StringVarP(&flags.file, "file", "f", defaultFile, "the pipeline to read: a directory, or a file; pipeline.hcl stands for all pipeline files of its directory")
	p.StringArrayVar(&flags.vars, "var", nil, "set a variable, name=value (repeatable; wins over --var-file and TOUCHSTONE_VAR_name)")
	p.StringArrayVar(&flags.varFiles, "var-file", nil, "read variables from an HCL or JSON file (repeatable)")
	p.StringVar(&flags.cacheDir, "cache-dir", "", "the store's directory (default $TOUCHSTONE_CACHE, else the user's cache directory)")
	p.BoolVar(&flags.json, "json", false, "print facts as JSON, in the documented shape")
	flags.executor.add(p)
	addGroup(root, "evaluate", "Evaluate:", newGateCommand(flags), newRunCommand(flags), newWatchCommand(flags),
		newCompareCommand(flags), newBisectCommand(flags), newFitnessCommand(flags))
	addGroup(root, "inspect", "See what a run would do or did:", newPlanCommand(flags), newExplainCommand(flags),
		newGraphCommand(flags), newLogsCommand(flags), newReportCommand(flags), newCostCommand())
	addGroup(root, "data", "Keep data and baselines:", newBaselineCommand(flags), newDatasetsCommand(),
		newCorpusCommand(flags), newGoldenCommand(flags), newRefreshCommand(flags), newTrecCommand(flags))
	addGroup(root, "tools", "Tools that work alone:", newScanCommand(flags), newDetectorCommand(), newProxyCommand(), newReplayCommand())
	addGroup(root, "setup", "Set up and look after:", newInitCommand(), newDoctorCommand(flags), newValidateCommand(flags),
		newFmtCommand(flags), newCacheCommand(flags), newModelsCommand(flags), newVersionCommand(flags))
	root.AddCommand(newStageCommand(), newInsideCommand())
	root.SetHelpCommandGroupID("setup")
	root.SetCompletionCommandGroupID("setup")
	return root
}

// addGroup adds verbs under one heading of --help.
func addGroup(root *cobra.Command, id, title string, verbs ...*cobra.Command) {
	root.AddGroup(&cobra.Group{ID: id, Title: title})
	for _, verb := range verbs {
		verb.GroupID = id
	}
	root.AddCommand(verbs...)
}
