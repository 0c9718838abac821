package main

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/touchstone-eval/touchstone/internal/base/arguments"
	"github.com/touchstone-eval/touchstone/internal/base/buildversion"
)

// release is the version of a release. The release's build sets it.
var release string

// version is the version of Touchstone, which is compared with a pipeline's
// required_version.
var version = buildversion.Of(release)

// versionJSON is the output of version --json.
type versionJSON struct {
	Version string `json:"version"`
	Source  string `json:"source"`
	Go      string `json:"go"`
}

func newVersionCommand(flags *globalFlags) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version, and the digest of the source that is part of cache keys",
		Args:  arguments.None,
		RunE: func(cmd *cobra.Command, _ []string) error {
			id, err := sourceIdentity(stagePackages("")...)
			if err != nil {
				return err
			}

			v := versionJSON{version, id.String(), runtime.Version()}
			if flags.json {
				return printJSON(cmd.OutOrStdout(), v)
			}

			fmt.Fprintf(cmd.OutOrStdout(), "%s %s (source %s, %s)\n", toolName, v.Version, id.Short(), v.Go)
			return nil
		},
	}
}
