package main

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"
)

// developed is the version of a build that is not of a release.
const developed = "0.1.0"

// release is the version of a release. The release's build sets it.
var release string

// version is the version of Touchstone, which is compared with a pipeline's
// required_version.
var version = cmp.Or(release, installed(), developed)

// installed returns the version of a program that go install built from a published
// module, or "". A build of a working tree between two releases has none.
func installed() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	return published(info.Main.Version)
}

// published returns a module's version without its v, or "" for one that was not
// published: a commit between two versions, or a tree with changes.
func published(v string) string {
	if !semver.IsValid(v) || module.IsPseudoVersion(v) || semver.Build(v) != "" {
		return ""
	}
	return strings.TrimPrefix(v, "v")
}

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
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			id, err := sourceIdentity(stageRooms("")...)
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
