package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/touchstone-eval/touchstone/internal/base/arguments"
)

func newManCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "man DIR",
		Short: "Write the manual pages of all verbs to a directory",
		Long: `Writes a manual page for each verb: touchstone.1, touchstone-gate.1 and so on. The pages
say what --help says. To install them, write them to a directory of the manual path, such
as /usr/local/share/man/man1. To read one without installing it, use man -l FILE.`,
		Args: arguments.Exactly(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o755); err != nil {
				return err
			}

			root := cmd.Root()
			for _, verb := range root.Commands() {
				// The plumbing is left out of --help alone.
				if slices.Contains(plumbing, verb.Name()) {
					verb.Hidden = false
				}
			}

			return writeManual(root, args[0])
		},
	}
}

// writeManual writes the pages of a verb and of those below it.
func writeManual(verb *cobra.Command, dir string) error {
	for _, below := range verb.Commands() {
		if below.IsAvailableCommand() {
			if err := writeManual(below, dir); err != nil {
				return err
			}
		}
	}

	return os.WriteFile(filepath.Join(dir, manualName(verb)+".1"), []byte(manualPage(verb)), 0o644)
}

func manualName(verb *cobra.Command) string { return strings.ReplaceAll(verb.CommandPath(), " ", "-") }

// manualPage returns a page in the language of man. The same program writes the same pages, without a date, so that
// packages are reproducible.
func manualPage(verb *cobra.Command) string {
	const width = 72 // man indents text by 7 of 80 columns
	verb.InitDefaultHelpFlag()
	var page strings.Builder
	fmt.Fprintf(&page, ".nh\n.TH %q 1 \"\" %q Touchstone\n", strings.ToUpper(manualName(verb)), toolName+" "+version)
	fmt.Fprintf(&page, ".SH NAME\n%s \\- %s\n", plainRoff(manualName(verb)), plainRoff(verb.Short))
	// Lines are kept, as in --help: many texts have tables.
	section := func(title, text string) {
		if text = strings.Trim(text, "\n"); text != "" {
			fmt.Fprintf(&page, ".SH %s\n.nf\n%s\n.fi\n", title, plainRoff(text))
		}
	}
	section("SYNOPSIS", verb.UseLine())
	section("DESCRIPTION", cmp.Or(verb.Long, verb.Short))
	section("EXAMPLES", verb.Example)
	section("OPTIONS", verb.NonInheritedFlags().FlagUsagesWrapped(width))
	section("GLOBAL OPTIONS", verb.InheritedFlags().FlagUsagesWrapped(width))

	var related []string
	if verb.HasParent() {
		related = append(related, manualName(verb.Parent())+"(1)")
	}

	for _, below := range verb.Commands() {
		if below.IsAvailableCommand() {
			related = append(related, manualName(below)+"(1)")
		}
	}

	fmt.Fprintf(&page, ".SH SEE ALSO\n%s\n", plainRoff(strings.Join(related, ", ")))
	return page.String()
}

// plainRoff escapes what would not be printed as it is: backslashes, hyphens, and requests at the start of a line.
func plainRoff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`, "\n.", "\n\\&.", "\n'", "\n\\&'").Replace("\n" + text)
	return text[1:]
}
