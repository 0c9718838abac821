package refreshcorpus

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/touchstone-eval/touchstone/internal/base/arguments"
)

// Command returns the command "touchstone stage refresh-corpus".
func Command() *cobra.Command {
	var o Options
	var missing MissingFlag
	var report string
	cmd := &cobra.Command{
		Use:   "refresh-corpus --upstreams FILE [--previous FILE] --out FILE",
		Short: "Read the tools of real servers into the next version of a corpus",
		Long: `Installs and starts the servers of an upstreams file, reads all pages of their
tools/list and writes a sorted corpus with the version of every server. It uses
the network, so it is a manual stage of the pipeline and never cached. It never
overwrites a file, and it refuses a corpus that has lost tools.
"touchstone data refresh" does the same and finds the files by itself.`,
		Args: arguments.None,
		RunE: func(cmd *cobra.Command, _ []string) error {
			missing.Set(&o)
			o.Log = cmd.ErrOrStderr()
			r, err := Run(cmd.Context(), o)
			if err != nil {
				return err
			}

			r.Write(cmd.OutOrStdout())
			if report == "" {
				return nil
			}

			return r.writeReport(report)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.Upstreams, "upstreams", "", "the servers, in HCL (see docs/how-to/refresh-the-corpus.md)")
	f.StringVar(&o.Previous, "previous", "", "the corpus to refresh, if there is one")
	f.StringVar(&o.Out, "out", "", "the corpus file to write; it must not exist")
	f.StringVar(&o.Version, "version", "", "the version of the new corpus (default: the one after the previous)")
	f.StringVar(&o.Date, "date", time.Now().UTC().Format(time.DateOnly), "the date to record in the corpus")
	f.StringVar(&report, "out-report", "", "also write the result and the difference to this file, as JSON")
	missing.Add(f)
	for _, name := range []string{"upstreams", "out"} {
		cmd.MarkFlagRequired(name)
	}

	return cmd
}

// MissingFlag is the value of --allow-missing, which may be given without names.
type MissingFlag struct{ names []string }

// anyServer stands for all servers. The name of a server has no colon.
const anyServer = ":any"

// Add declares the flag.
func (m *MissingFlag) Add(f *pflag.FlagSet) {
	f.StringSliceVar(&m.names, "allow-missing", nil,
		"write the corpus even if servers failed or list fewer tools: =NAME,... for these servers, without names "+
			"for all")
	f.Lookup("allow-missing").NoOptDefVal = anyServer
}

// Args returns the flag as given, for another command line.
func (m *MissingFlag) Args() []string {
	args := make([]string, 0, len(m.names))
	for _, name := range m.names {
		if name == anyServer {
			args = append(args, "--allow-missing")
		} else {
			args = append(args, "--allow-missing="+name)
		}
	}
	return args
}

// Set copies the value of the flag into the options.
func (m *MissingFlag) Set(o *Options) {
	for _, name := range m.names {
		if name == anyServer {
			o.AnyMissing = true
		} else {
			o.AllowMissing = append(o.AllowMissing, name)
		}
	}
}

// writeReport writes the result as JSON, in the format of touchstone data refresh --json.
func (r *Result) writeReport(file string) error {
	b, err := json.MarshalIndent(r, "", "  ")
	if err == nil {
		err = os.WriteFile(file, append(b, '\n'), 0o644)
	}
	if err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}

// Write prints the result for a terminal.
func (r *Result) Write(w io.Writer) {
	for _, s := range r.Servers {
		fmt.Fprintf(w, "%s %s: %d tools\n", s.Server, s.Version, s.Tools)
	}
	for _, m := range r.Missing {
		fmt.Fprintf(w, "missing, as allowed: %s: %s\n", m.Server, m.Reason)
	}
	if r.Diff != nil {
		r.Diff.Write(w)
		WriteRugPulls(w, r.RugPulls)
	}
	fmt.Fprintf(w, "wrote %s, version %s; it is a draft until touchstone data freeze\n", r.File, r.Version)
}
