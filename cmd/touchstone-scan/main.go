// Command touchstone-scan is the verb scan of touchstone as a program of its own: it
// scans the definitions of MCP tools for attacks on the model that reads them.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/touchstone-eval/touchstone/internal/base/arguments"
	"github.com/touchstone-eval/touchstone/internal/base/buildversion"
	_ "github.com/touchstone-eval/touchstone/internal/base/collector"
	"github.com/touchstone-eval/touchstone/internal/base/failure"
	"github.com/touchstone-eval/touchstone/internal/scan/command"
)

// Exit codes that do not come from a verdict.
const (
	exitUsage       = 2
	exitInterrupted = 130
)

const program = "touchstone-scan"

// release is the version of a release. The release's build sets it.
var release string

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	context.AfterFunc(ctx, stop) // a second interrupt stops the program at once
	os.Exit(run(ctx))
}

func run(ctx context.Context) int {
	var asJSON bool
	root := command.New(program, &asJSON)
	root.SilenceErrors, root.SilenceUsage = true, true
	version := newVersion(&asJSON)
	root.AddCommand(version)
	// The flag of the library would fill in a template, which makes the program a fifth
	// larger.
	var showVersion bool
	root.Flags().BoolVar(&showVersion, "version", false, "print the version")
	scan := root.RunE
	root.RunE = func(cmd *cobra.Command, args []string) error {
		if showVersion {
			return version.RunE(version, nil)
		}

		return scan(cmd, args)
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return fmt.Errorf("%w; see %s --help", err, cmd.CommandPath())
	})
	root.PersistentFlags().BoolVar(&asJSON, "json", false, "print JSON for programs")
	err := root.ExecuteContext(ctx)
	var verdict *failure.Reported
	switch {
	case err == nil:
		return 0
	case errors.As(err, &verdict):
		return verdict.Code
	case ctx.Err() != nil && errors.Is(err, context.Canceled):
		fmt.Fprintln(os.Stderr, program+": interrupted")
		return exitInterrupted
	}

	failure.Write(os.Stderr, program, err)
	return exitUsage
}

// newVersion returns the verb that prints the version, like the flag.
func newVersion(asJSON *bool) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  arguments.None,
		RunE: func(cmd *cobra.Command, _ []string) error {
			version := buildversion.Of(release)
			if *asJSON {
				enc := json.NewEncoder(cmd.OutOrStdout())
				enc.SetIndent("", "  ")
				return enc.Encode(map[string]string{"version": version, "go": runtime.Version()})
			}

			_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s %s (%s)\n", program, version, runtime.Version())
			return err
		},
	}
}
