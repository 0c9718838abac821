//go:build containers

// With the tag containers, the program is the planner and the stages of the Dagger module, which compiles
// it on its first call. It leaves out what is slow to compile, above all the database of eval.

package main

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/touchstone-eval/touchstone/internal/base/arguments"
	"github.com/touchstone-eval/touchstone/internal/engine/dagger/inside"
	"github.com/touchstone-eval/touchstone/internal/engine/workers/onworker"
)

// containerVerbs are the verbs that the module calls and that stages start.
var containerVerbs = []string{
	"gate", "run", "plan", "explain", "logs", "graph", "report", "baseline", "cache", "version", "help",
	"data", "refresh", "fetch", "stage", "proxy", "replay", "detector", inside.Verb, onworker.Verb,
}

func newScanCommand(*globalFlags) *cobra.Command {
	return &cobra.Command{Use: "scan", Args: arguments.None}
}

func newEvalCommand(*globalFlags) *cobra.Command {
	return &cobra.Command{Use: "eval", Args: arguments.None}
}

// leaveOut makes all other verbs report that they were left out. Some would work, but on the embedded data
// of init and on the parsers of scan, which this program does not have.
func leaveOut(root *cobra.Command) {
	for _, verb := range root.Commands() {
		switch {
		case !slices.Contains(containerVerbs, verb.Name()):
			makeAbsent(verb)
		case verb.Name() == "data":
			leaveOut(verb)
		}
	}
}

func makeAbsent(verb *cobra.Command) {
	verb.RemoveCommand(verb.Commands()...)
	verb.ResetFlags()
	verb.DisableFlagParsing = true
	verb.Short, verb.Args, verb.PreRun = "Not in this program, which was built for containers", nil, nil
	verb.RunE = func(cmd *cobra.Command, _ []string) error {
		return fmt.Errorf("this %s was built for containers and has no %s: install a release, or build without "+
			"the tag containers", toolName, cmd.CommandPath()[len(toolName)+1:])
	}
}
