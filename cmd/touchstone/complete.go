package main

import (
	"cmp"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/touchstone-eval/touchstone/internal/engine"
	"github.com/touchstone-eval/touchstone/pipeline"
)

// stageFlags are the flags that take a stage or an instance.
var stageFlags = []string{"only", "from", "until"}

// stageVerbs are the commands whose argument is a stage or an instance.
var stageVerbs = []string{"explain", "logs"}

// completeNames completes stages and variables of the pipeline, and the values of flags that have
// a few. It must be called once all commands are added.
func completeNames(root *cobra.Command, flags *globalFlags) {
	stages := func(_ *cobra.Command, _ []string, prefix string) ([]string, cobra.ShellCompDirective) {
		return flags.stageNames(prefix), cobra.ShellCompDirectiveNoFileComp
	}
	var walk func(cmd *cobra.Command)
	walk = func(cmd *cobra.Command) {
		for _, name := range stageFlags {
			// A verb may give a flag of this name another meaning, with its own completion.
			if f := ownFlag(cmd, name); f != nil && strings.Contains(f.Usage, "stage") {
				_ = cmd.RegisterFlagCompletionFunc(name, stages)
			}
		}

		if ownFlag(cmd, "progress") != nil {
			_ = cmd.RegisterFlagCompletionFunc("progress",
				cobra.FixedCompletions([]string{"auto", "tty", "plain", "json", "quiet"},
					cobra.ShellCompDirectiveNoFileComp))
		}

		for _, sub := range cmd.Commands() {
			walk(sub)
		}
	}
	walk(root)
	for _, name := range stageVerbs {
		if verb, _, err := root.Find([]string{name}); err == nil {
			verb.ValidArgsFunction = stages
		}
	}
}

// ownFlag returns the flag that a command declares itself, or nil. LocalFlags, which says the same,
// merges the flags of all parents first, and every start of the program would pay for that.
func ownFlag(cmd *cobra.Command, name string) *pflag.Flag {
	return cmp.Or(cmd.Flags().Lookup(name), cmd.PersistentFlags().Lookup(name))
}

// completionPlan loads the pipeline without the settings of the command line, which may be
// incomplete. It returns nil if the pipeline is invalid.
func (f *globalFlags) completionPlan() *pipeline.Plan {
	options := f.options()
	options.Vars, options.VarFiles = nil, nil
	plan, _, _ := pipeline.Load(options)
	return plan
}

// stageNames lists the stages that begin with a prefix, or the instances of a stage once its name
// is complete.
func (f *globalFlags) stageNames(prefix string) []string {
	plan := f.completionPlan()
	if plan == nil {
		return nil
	}

	var names []string
	if stage, _, instance := pipeline.CutInstance(prefix); instance {
		for _, in := range plan.Instances {
			if in.Stage == stage && strings.HasPrefix(in.String(), prefix) {
				names = append(names, in.String())
			}
		}

		return names
	}

	for _, name := range engine.StageNames(plan) {
		if strings.HasPrefix(name, prefix) {
			names = append(names, name)
		}
	}

	return names
}

// variableNames lists the variables and their attributes that begin with a prefix, each with "=" and its description
// or type.
func (f *globalFlags) variableNames(prefix string) []string {
	plan := f.completionPlan()
	if plan == nil {
		return nil
	}
	return variableCompletions(plan.Variables, prefix)
}

func variableCompletions(variables []pipeline.Variable, prefix string) []string {
	var names []string
	offer := func(name, description string) {
		if strings.HasPrefix(name, prefix) {
			names = append(names, cobra.CompletionWithDesc(name, description))
		}
	}

	for _, v := range variables {
		offer(v.Name+"=", v.Description)
		for _, a := range v.Attributes {
			if !strings.HasSuffix(a.Name, ".") {
				a.Name += "="
			}

			offer(a.Name, a.Type)
		}
	}

	return names
}
