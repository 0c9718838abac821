package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// execute runs the command line. It adds the usage line and the help command to cobra's errors
// about arguments and flags.
func execute(ctx context.Context, root *cobra.Command) error {
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return fmt.Errorf("%w; see %s --help", err, cmd.CommandPath())
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
