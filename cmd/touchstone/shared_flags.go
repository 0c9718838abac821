package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// sharedFlags say which of the flags that verbs share a verb reads.
type sharedFlags uint

const (
	fileFlag      sharedFlags = 1 << iota // the verb needs the directory of the pipeline, or the names of its files
	variableFlags                         // it evaluates the pipeline
	cacheFlag                             // it opens the cache
	executorFlag                          // it prepares to run stages

	pipelineFlags = fileFlag | variableFlags
	sessionFlags  = pipelineFlags | cacheFlag | executorFlag
)

// sharedSets describe the shared flags for touchstone help flags.
var sharedSets = []struct {
	of    sharedFlags
	title string
}{
	{fileFlag, "Verbs that need to know where the pipeline is:"},
	{variableFlags, "Verbs that evaluate the pipeline:"},
	{cacheFlag, "Verbs that use the cache:"},
	{executorFlag, "Verbs that run stages, or say what a run would do:"},
}

// on adds shared flags to verbs, and returns the verbs.
func (f *globalFlags) on(of sharedFlags, verbs ...*cobra.Command) []*cobra.Command {
	for _, verb := range verbs {
		f.add(verb.Flags(), of)
		if of&variableFlags != 0 {
			_ = verb.RegisterFlagCompletionFunc("var",
				func(_ *cobra.Command, _ []string, prefix string) ([]string, cobra.ShellCompDirective) {
					return f.variableNames(prefix), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
				})
		}
	}
	return verbs
}

func (f *globalFlags) add(p *pflag.FlagSet, of sharedFlags) {
	if of&fileFlag != 0 {
		p.StringVarP(&f.file, "file", "f", defaultFile,
			"the pipeline, as a directory or a file; pipeline.hcl stands for all pipeline files in its directory")
	}

	if of&variableFlags != 0 {
		p.StringArrayVar(&f.vars, "var", nil, "set a variable, name=value, or one attribute of it, "+
			"name.attribute=value (repeatable; overrides --var-file and TOUCHSTONE_VAR_name)")
		p.StringArrayVar(&f.varFiles, "var-file", nil, "read variables from an HCL or JSON file (repeatable)")
	}

	if of&cacheFlag != 0 {
		p.StringVar(&f.cacheDir, "cache-dir", "",
			"the cache directory (default: $TOUCHSTONE_CACHE, or else touchstone in the user's cache directory)")
	}

	if of&executorFlag != 0 {
		f.executor.add(p)
		f.remote.add(p)
	}
}

func writeSharedFlags(w io.Writer, _ *cobra.Command) {
	fmt.Fprintln(w, "These flags mean the same with every verb whose --help lists them.")
	for _, set := range sharedSets {
		p := pflag.NewFlagSet("", pflag.ContinueOnError)
		(&globalFlags{}).add(p, set.of)
		fmt.Fprintf(w, "\n%s\n%s", set.title, p.FlagUsages())
	}
}
