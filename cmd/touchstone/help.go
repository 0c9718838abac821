package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"
)

// plumbing are the verbs that pipelines and other programs start. People seldom do, so --help does
// not list them.
var plumbing = []string{"stage", "proxy", "replay", "detector"}

// helpTopics are the texts of touchstone help that are not about a verb.
var helpTopics = []struct {
	name, about string
	write       func(w io.Writer, root *cobra.Command)
}{
	{"exit-codes", "What the exit codes mean", func(w io.Writer, _ *cobra.Command) { fmt.Fprintln(w, exitCodesHelp) }},
	{"flags", "The flags that verbs share", writeSharedFlags},
	{"plumbing", "The verbs that pipelines and other programs start", writePlumbing},
}

// addHelp adds the topics of help, and replaces the help of the root, which has to fit on a screen.
func addHelp(root *cobra.Command, groups []verbGroup) {
	ofVerb := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		if cmd == root {
			writeOverview(cmd.OutOrStdout(), root, groups)
			return
		}

		ofVerb(cmd, args)
	})
	for _, topic := range helpTopics {
		cmd := &cobra.Command{Use: topic.name, Short: topic.about, Hidden: true}
		cmd.SetHelpFunc(func(cmd *cobra.Command, _ []string) { topic.write(cmd.OutOrStdout(), root) })
		root.AddCommand(cmd)
	}
}

// verbGroup is a heading of --help with its verbs, in the order of their use. Cobra's groups are sorted
// by name.
type verbGroup struct {
	title string
	verbs []*cobra.Command
}

func writeOverview(w io.Writer, root *cobra.Command, groups []verbGroup) {
	fmt.Fprintf(w, "%s\n\nUsage: %s VERB [flags]\n", root.Long, root.Name())
	for _, group := range groups {
		fmt.Fprintf(w, "\n%s\n", group.title)
		for _, verb := range group.verbs {
			writeVerb(w, verb)
		}
	}
	fmt.Fprintf(w, "\n%[1]s VERB --help describes a verb. More: %[1]s help flags, help exit-codes, help plumbing.\n",
		root.Name())
}

func writePlumbing(w io.Writer, root *cobra.Command) {
	fmt.Fprintln(w, "Pipelines and other programs start these verbs:")
	for _, name := range plumbing {
		if verb, _, err := root.Find([]string{name}); err == nil {
			writeVerb(w, verb)
		}
	}
}

func writeVerb(w io.Writer, verb *cobra.Command) {
	fmt.Fprintf(w, "  %-11s %s\n", verb.Name(), verb.Short)
}
