// Package fetchtools is the stage that starts the servers of an upstreams file, without network,
// reads their tools and verifies the digest of each. The corpus that it makes is frozen by
// reference: the repository has the digests and none of the texts.
package fetchtools

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/touchstone-eval/touchstone/internal/base/arguments"
	"github.com/touchstone-eval/touchstone/stages/refreshcorpus"
)

// Command returns the command "touchstone stage fetch-tools".
func Command() *cobra.Command {
	var o refreshcorpus.FetchOptions
	var flags refreshcorpus.FetchFlags
	var report string
	cmd := &cobra.Command{
		Use:   "fetch-tools --upstreams FILE --packages DIR --frozen FILE --out FILE",
		Short: "Read a corpus that is frozen by reference from its servers, and verify it",
		Long: `Installs the packages that download-tools downloaded, starts the servers of an upstreams file,
reads their tools and compares the digest of each with the frozen one. It needs no network.
Each server has a home directory of its own and sees no variable of yours but PATH, USER,
LANG and TERM. "touchstone data fetch" does the same and finds the files by itself.`,
		Args: arguments.None,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.Log = cmd.ErrOrStderr()
			if err := flags.Set(&o); err != nil {
				return err
			}

			r, err := refreshcorpus.Fetch(cmd.Context(), o)
			if err != nil {
				return err
			}

			r.Write(cmd.OutOrStdout())
			if report == "" {
				return nil
			}

			b, err := json.MarshalIndent(r, "", "  ")
			if err == nil {
				err = os.WriteFile(report, append(b, '\n'), 0o644)
			}

			if err != nil {
				return fmt.Errorf("write the report: %w", err)
			}

			return nil
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.Upstreams, "upstreams", "", "the servers, in HCL (see docs/how-to/evaluate-on-real-servers.md)")
	f.StringVar(&o.Packages, "packages", "", "the directory that download-tools wrote")
	f.StringVar(&o.Frozen, "frozen", "", "the digests of the tools")
	f.StringVar(&o.Out, "out", "", "the corpus file to write")
	f.StringVar(&o.OutFrozen, "out-frozen", "", "the file to write the digests to")
	f.StringVar(&report, "out-report", "", "also write the result to this file, as JSON")
	flags.Add(f)
	for _, name := range []string{"upstreams", "packages", "frozen", "out", "out-frozen"} {
		cmd.MarkFlagRequired(name)
	}

	return cmd
}
