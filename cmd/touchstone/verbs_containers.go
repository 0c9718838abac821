//go:build containers

// With the tag containers, the program is the planner and the stages of the Dagger module, which compiles
// it on its first call. It leaves out verbs that the module does not call and that bring what is slow to compile,
// above all the database of eval.

package main

import (
	"fmt"

	"github.com/spf13/cobra"
)

// leftOut returns a verb that only reports that it was left out.
func leftOut(name string) *cobra.Command {
	return &cobra.Command{
		Use: name, Short: "Not in this program, which was built for containers", DisableFlagParsing: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return fmt.Errorf("this %s was built for containers and has no %s: install a release, or build without "+
				"the tag containers", toolName, cmd.CommandPath()[len(toolName)+1:])
		},
	}
}

func newBisectCommand(*globalFlags) *cobra.Command  { return leftOut("bisect") }
func newCompareCommand(*globalFlags) *cobra.Command { return leftOut("compare") }
func newDoctorCommand(*globalFlags) *cobra.Command  { return leftOut("doctor") }
func newEvalCommand(*globalFlags) *cobra.Command    { return leftOut("eval") }
func newFitnessCommand(*globalFlags) *cobra.Command { return leftOut("fitness") }
func newInitCommand() *cobra.Command                { return leftOut("init") }
func newReportCommentCommand() *cobra.Command       { return leftOut("comment") }
func newReportConvertCommand() *cobra.Command       { return leftOut("convert") }
func newScanCommand(*globalFlags) *cobra.Command    { return leftOut("scan") }
func newWatchCommand(*globalFlags) *cobra.Command   { return leftOut("watch") }

func newCostCommand() *cobra.Command {
	verb := leftOut("measure-cost")
	verb.Hidden = true
	return verb
}

func newDataVerbs(*globalFlags) (verbs []*cobra.Command) {
	for _, name := range []string{"add", "agree", "check", "diff", "export", "external", "freeze", "import", "label",
		"list", "migrate", "next", "pool", "power", "stats", "synthesize", "trec"} {
		verbs = append(verbs, leftOut(name))
	}
	return verbs
}
