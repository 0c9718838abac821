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
	p.StringVarP(&flags.file, "file", "f", defaultFile, "the pipeline to read")
	p.StringArrayVar(&flags.vars, "var", nil, "set a variable, name=value (repeatable; wins over --var-file and TOUCHSTONE_VAR_name)")
	p.StringArrayVar(&flags.varFiles, "var-file", nil, "read variables from an HCL or JSON file (repeatable)")
	p.StringVar(&flags.cacheDir, "cache-dir", "", "the store's directory (default $TOUCHSTONE_CACHE, else the user's cache directory)")
	p.BoolVar(&flags.json, "json", false, "print facts as JSON, in the documented shape")
	flags.executor.add(p)
	root.AddCommand(
		newGateCommand(flags), newRunCommand(flags), newPlanCommand(flags), newValidateCommand(flags),
		newExplainCommand(flags), newGraphCommand(flags), newLogsCommand(flags), newCacheCommand(flags),
		newReportCommand(flags), newBaselineCommand(flags), newFmtCommand(flags), newInitCommand(), newDoctorCommand(flags),
		newStageCommand(), newInsideCommand(), newVersionCommand(flags),
		newDatasetsCommand(), newScanCommand(flags), newDetectorCommand(), newProxyCommand(), newReplayCommand(), newTrecCommand(flags), newFitnessCommand(flags),
		newRefreshCommand(flags), newCorpusCommand(flags), newGoldenCommand(flags),
		newCompareCommand(flags), newCostCommand(), newBisectCommand(flags), newWatchCommand(flags),
	)
	return root
}
