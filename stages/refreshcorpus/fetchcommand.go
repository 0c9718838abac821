package refreshcorpus

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/touchstone-eval/touchstone/internal/base/arguments"
)

// DownloadCommand returns the command "touchstone stage download-tools".
func DownloadCommand() *cobra.Command {
	var file, out string
	cmd := &cobra.Command{
		Use:   "download-tools --upstreams FILE --out DIR",
		Short: "Download the packages of the servers of an upstreams file, and start none",
		Long: `Downloads the packages that the lock files of an upstreams file pin, with npm, which compares
each with the digest in the lock file. It runs no script of a package. It is the only part
of "touchstone data fetch" that uses the network.`,
		Args: arguments.None,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return Download(cmd.Context(), file, out, cmd.ErrOrStderr())
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

// FetchCommand returns the command "touchstone stage fetch-tools".
func FetchCommand() *cobra.Command {
	var o FetchOptions
	var flags FetchFlags
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

			r, err := Fetch(cmd.Context(), o)
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

// FetchFlags are the values of --incomplete and --pin.
type FetchFlags struct {
	incomplete string
	pin        bool
}

// Add declares the flags.
func (f *FetchFlags) Add(flags *pflag.FlagSet) {
	flags.StringVar(&f.incomplete, "incomplete", IncompleteRefuse, "what happens if servers fail or list other tools "+
		"than the frozen ones: refuse, or accept, which leaves their tools out")
	flags.BoolVar(&f.pin, "pin", false, "do not verify the tools; take their digests as the frozen ones")
}

// Set checks the values and copies them into the options.
func (f *FetchFlags) Set(o *FetchOptions) error {
	if f.incomplete != IncompleteRefuse && f.incomplete != IncompleteAccept {
		return &usageError{fmt.Sprintf("--incomplete is %q; write refuse or accept", f.incomplete)}
	}

	if f.pin && f.incomplete == IncompleteAccept {
		return &usageError{"--pin takes the digests of all servers, so that nothing can be incomplete; leave out one of " +
			"--pin and --incomplete=accept"}
	}

	o.Incomplete, o.Pin = f.incomplete, f.pin
	return nil
}

// Args returns the flags as given, for another command line.
func (f *FetchFlags) Args() []string {
	var args []string
	if f.incomplete != IncompleteRefuse {
		args = append(args, "--incomplete="+f.incomplete)
	}
	if f.pin {
		args = append(args, "--pin")
	}
	return args
}

// Default reports whether neither flag is set to something else than its default.
func (f *FetchFlags) Default() bool { return f.incomplete == IncompleteRefuse && !f.pin }

// Pinned reports whether --pin is set.
func (f *FetchFlags) Pinned() bool { return f.pin }
