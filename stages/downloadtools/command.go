// Package downloadtools is the stage that downloads the packages of the servers of an upstreams
// file. It is apart from the stage that starts them, so that only this one needs the network and
// only the other one runs programs of others. Package refreshcorpus has the work of both.
package downloadtools

import (
	"github.com/spf13/cobra"

	"github.com/touchstone-eval/touchstone/internal/base/arguments"
	"github.com/touchstone-eval/touchstone/stages/refreshcorpus"
)

// Command returns the command "touchstone stage download-tools".
func Command() *cobra.Command {
	var file, out string
	cmd := &cobra.Command{
		Use:   "download-tools --upstreams FILE --out DIR",
		Short: "Download the packages of the servers of an upstreams file, and start none",
		Long: `Downloads the packages that the lock files of an upstreams file pin, with npm, which compares
each with the digest in the lock file. It runs no script of a package. It is the only part
of "touchstone data fetch" that uses the network.`,
		Args: arguments.None,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return refreshcorpus.Download(cmd.Context(), file, out, cmd.ErrOrStderr())
		},
	}
	f := cmd.Flags()
	f.StringVar(&file, "upstreams", "", "the servers, in HCL (see docs/how-to/evaluate-on-real-servers.md)")
	f.StringVar(&out, "out", "", "the directory to write the packages to")
	for _, name := range []string{"upstreams", "out"} {
		cmd.MarkFlagRequired(name)
	}

	return cmd
}
