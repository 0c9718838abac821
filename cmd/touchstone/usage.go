package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/touchstone-eval/touchstone/internal/base/closest"
)

// execute runs the command line. It adds the usage line and the help command to cobra's errors
// about arguments and flags.
func execute(ctx context.Context, root *cobra.Command) error {
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		meant := ""
		var unknown *pflag.NotExistError
		if errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() == "" {
			meant = nearestFlag(cmd, unknown.GetSpecifiedName())
		}
		return fmt.Errorf("%w%s; see %s --help", err, meant, cmd.CommandPath())
	})
	refuseUnknownTopics(root)
	wrapArgs(root)
	cmd, err := root.ExecuteContextC(ctx)
	if err != nil && !errors.As(err, new(*exitError)) && strings.HasPrefix(err.Error(), "unknown command ") && !strings.Contains(err.Error(), "; usage: ") {
		_, rest, _ := strings.Cut(err.Error(), `"`)
		name, _, _ := strings.Cut(rest, `"`)
		return unknownVerb(cmd, name)
	}
	if err != nil && strings.HasPrefix(err.Error(), "required flag(s)") {
		return usageError(cmd, err)
	}
	return err
}

// wrapArgs adds them to the errors about arguments of a command and its subcommands.
func wrapArgs(cmd *cobra.Command) {
	if check := cmd.Args; check != nil {
		cmd.Args = func(cmd *cobra.Command, args []string) error {
			if err := check(cmd, args); err != nil {
				if errors.As(err, new(*exitError)) {
					return err
				}
				return usageError(cmd, countError(err))
			}
			return nil
		}
	}
	for _, sub := range cmd.Commands() {
		wrapArgs(sub)
	}
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
			i := slices.IndexFunc(of.Commands(), func(c *cobra.Command) bool { return c.Name() == name || c.HasAlias(name) })
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

// countError replaces cobra's errors about the number of arguments.
func countError(err error) error {
	var want, most, got int
	text := err.Error()
	switch {
	case scans(text, "accepts %d arg(s), received %d", &want, &got), scans(text, "requires at least %d arg(s), only received %d", &want, &got):
		least := ""
		if strings.HasPrefix(text, "requires") {
			least = "at least "
		}
		return fmt.Errorf("needs %s%s, but got %d", least, english.Plural(want, "argument", ""), got)
	case scans(text, "accepts at most %d arg(s), received %d", &most, &got):
		return fmt.Errorf("takes at most %s, but got %d", english.Plural(most, "argument", ""), got)
	case scans(text, "accepts between %d and %d arg(s), received %d", &want, &most, &got):
		return fmt.Errorf("takes %d to %d arguments, but got %d", want, most, got)
	}
	return err
}

func scans(text, format string, into ...any) bool {
	n, err := fmt.Sscanf(text, format, into...)
	return err == nil && n == len(into)
}

func usageError(cmd *cobra.Command, err error) error {
	if cmd.HasSubCommands() && !strings.Contains(cmd.Use, " ") {
		return fmt.Errorf("%w; see %s --help", err, cmd.CommandPath())
	}
	return fmt.Errorf("%w; usage: %q, see %s --help", err, strings.TrimSuffix(cmd.UseLine(), " [flags]"), cmd.CommandPath())
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
