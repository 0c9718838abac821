package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/agext/levenshtein"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
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
	wrapArgs(root)
	cmd, err := root.ExecuteContextC(ctx)
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
				return usageError(cmd, err)
			}
			return nil
		}
	}
	for _, sub := range cmd.Commands() {
		wrapArgs(sub)
	}
}

func usageError(cmd *cobra.Command, err error) error {
	if cmd.HasSubCommands() && !strings.Contains(cmd.Use, " ") {
		return fmt.Errorf("%w; see %s --help", err, cmd.CommandPath())
	}
	return fmt.Errorf("%w; usage: %q, see %s --help", err, strings.TrimSuffix(cmd.UseLine(), " [flags]"), cmd.CommandPath())
}

// nearestFlag suggests the flag that was probably meant: " (did you mean --progress?)", or "".
func nearestFlag(cmd *cobra.Command, name string) string {
	best, distance := "", len(name)/3+1
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Hidden || len(name) > 2*len(f.Name) {
			return
		}
		if d := levenshtein.Distance(name, f.Name, nil); d <= distance && (best == "" || d < distance) {
			best, distance = f.Name, d
		}
	})
	if best == "" {
		return ""
	}
	return fmt.Sprintf(" (did you mean --%s?)", best)
}
