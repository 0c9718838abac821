package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/touchstone-eval/touchstone/internal/base/arguments"
	"github.com/touchstone-eval/touchstone/internal/base/closest"
)

// execute runs the command line. It adds the usage line and the help command to errors about arguments
// and flags.
func execute(ctx context.Context, root *cobra.Command) error {
	root.SetFlagErrorFunc(flagError)
	refuseUnknownTopics(root)
	checkUsage(root)
	return root.ExecuteContext(ctx)
}

// flagError is the error of a command line whose flags cannot be parsed.
func flagError(cmd *cobra.Command, err error) error {
	if args := cmd.Flags().Args(); !cmd.HasParent() && len(args) > 0 {
		// The flags of a verb that does not exist are unknown too.
		return unknownVerb(cmd, args[0])
	}
	meant := ""
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() == "" {
		meant = nearestFlag(cmd, unknown.GetSpecifiedName())
	}
	return fmt.Errorf("%w%s; see %s --help", err, meant, cmd.CommandPath())
}

// checkUsage adds the usage to the errors about arguments of a command and its subcommands. It also reports
// required flags that are not given, before cobra does so in its own words.
func checkUsage(cmd *cobra.Command) {
	check := cmd.Args
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if check != nil {
			if err := check(cmd, args); err != nil {
				return argumentError(cmd, err)
			}
		}

		if missing := missingFlags(cmd); len(missing) > 0 {
			return usageError(cmd, fmt.Errorf("required flag(s) %s not set", strings.Join(missing, ", ")))
		}

		return nil
	}
	for _, sub := range cmd.Commands() {
		checkUsage(sub)
	}
}

func argumentError(cmd *cobra.Command, err error) error {
	var exit *exitError
	var unexpected *arguments.UnexpectedError
	switch {
	case errors.As(err, &exit):
		return err
	case errors.As(err, &unexpected) && onlyGroups(cmd):
		return unknownVerb(cmd, unexpected.Argument)
	}
	return usageError(cmd, err)
}

// onlyGroups reports whether a command does nothing but group others.
func onlyGroups(cmd *cobra.Command) bool {
	return cmd.HasSubCommands() && !strings.Contains(cmd.Use, " ")
}

// missingFlags lists the required flags that are not given, quoted.
func missingFlags(cmd *cobra.Command) (missing []string) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if _, required := f.Annotations[cobra.BashCompOneRequiredFlag]; required && !f.Changed {
			missing = append(missing, fmt.Sprintf("%q", f.Name))
		}
	})
	return missing
}

// refuseUnknownTopics makes the help of a verb that does not exist an error.
func refuseUnknownTopics(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	help, _, err := root.Find([]string{"help"})
	if err != nil {
		return
	}

	help.Args = func(_ *cobra.Command, args []string) error {
		of := root
		for _, name := range args {
			i := slices.IndexFunc(of.Commands(),
				func(c *cobra.Command) bool { return c.Name() == name || c.HasAlias(name) })
			if i < 0 {
				return &exitError{exitUsage, unknownVerb(of, name)}
			}

			of = of.Commands()[i]
		}

		return nil
	}
}

// unknownVerb is the error of a verb that does not exist.
func unknownVerb(of *cobra.Command, name string) error {
	meant := ""
	if of.SuggestionsMinimumDistance <= 0 {
		of.SuggestionsMinimumDistance = 2 // cobra's default
	}
	if near := of.SuggestionsFor(name); len(near) > 0 {
		meant = fmt.Sprintf(" (did you mean %s?)", strings.Join(near, " or "))
	}
	return fmt.Errorf("unknown command %q for %q%s; see %s --help", name, of.CommandPath(), meant, of.CommandPath())
}

func usageError(cmd *cobra.Command, err error) error {
	if onlyGroups(cmd) {
		return fmt.Errorf("%w; see %s --help", err, cmd.CommandPath())
	}
	return fmt.Errorf("%w; usage: %q, see %s --help", err, strings.TrimSuffix(cmd.UseLine(), " [flags]"),
		cmd.CommandPath())
}

// nearestFlag suggests the flag that was probably meant: " (did you mean --progress?)", or "".
func nearestFlag(cmd *cobra.Command, name string) string {
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	})
	best := closest.To(name, names)
	if best == "" {
		return ""
	}
	return fmt.Sprintf(" (did you mean --%s?)", best)
}
